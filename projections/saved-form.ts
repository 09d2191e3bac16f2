// The form in which the state of read models is kept in snapshots: the facts that make their rows anew, and
// what they remember beside their rows. It is versioned, and every later version of the program reads it.
import type { Event, Tenancy } from '../events/envelope.js'

/** Version of the form of all parts. A change that a reader of the form before would take amiss raises it. */
export const SNAPSHOT_VERSION = 4

/**
 * An event that makes a row what it is, with the index of the row's last change; 0 where the row knows none.
 * So the form of rows is that of events, which are read for ever anyway.
 */
export interface Fact extends Omit<Event, 'FilterKeys' | 'Partition'> {
  /** Absent for `default`. */
  readonly Partition?: string
  readonly Index: number
}

interface FactParts<E extends Event> {
  readonly Topic: E['Topic']
  readonly Type: E['Type']
  readonly Key: string
  /** Undefined for things of the whole cluster. */
  readonly tenancy?: Tenancy
  readonly Index: number
  readonly Payload: E['Payload']
  readonly Secrets?: E['Secrets']
}

const CLUSTER: Tenancy = { partition: 'default', namespace: '' }

/** The fact that an event `E` would tell. Secrets that are empty are left out. */
export const fact = <E extends Event>({ tenancy, ...parts }: FactParts<E>): Fact => {
  const { Topic, Type, Key, Index, Payload, Secrets } = parts
  const { partition, namespace } = tenancy ?? CLUSTER
  return {
    Topic,
    Type,
    Key,
    Namespace: namespace,
    ...(partition === 'default' ? {} : { Partition: partition }),
    Index,
    Payload,
    ...(Secrets && Object.keys(Secrets).length > 0 ? { Secrets } : {})
  }
}

/** The event that a fact is. */
export const eventOf = ({
  Topic,
  Type,
  Key,
  Namespace,
  Partition = 'default',
  Payload,
  Secrets
}: Fact): Event =>
  Secrets === undefined
    ? { Topic, Type, Key, Namespace, Partition, FilterKeys: null, Payload }
    : { Topic, Type, Key, Namespace, Partition, FilterKeys: null, Payload, Secrets }

/** One part of the state, as rows of JSON. */
export interface SnapshotPart {
  /** JSON values in an order that follows from the state. Nothing may change until the last is taken. */
  save(): Iterable<unknown>
  /** Takes back rows, in the order in which they were saved. @param rows JSON text of an array of them */
  load(rows: string): void
}

/** What a read model knows beside its rows. */
export interface DerivedState extends SnapshotPart {
  /** Forgets what the facts alone have made known, before what was saved takes its place. */
  clear(): void
}

/** @param load takes back one row */
export const derivedState = <Row>(parts: {
  readonly clear: () => void
  readonly save: () => Iterable<Row>
  readonly load: (row: Row) => void
}): DerivedState => ({
  clear: parts.clear,
  save: parts.save,
  load: text => {
    const rows: readonly Row[] = JSON.parse(text)
    for (const row of rows) parts.load(row)
  }
})
