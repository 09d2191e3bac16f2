import {
  CLUSTER_TENANCY,
  NO_CALLER,
  type Commit,
  type Event,
  type EventFields,
  type ResourceEvents
} from '../events/envelope.js'

/** A read model: a fold over events. It changes only in `apply`, in log order, the same way live and on replay: no clock, no randomness, no I/O. */
export interface Projection {
  readonly topics: readonly string[]
  /** State that does not follow from `facts`, by names of the saved form. */
  readonly memory: Readonly<Record<string, DerivedState>>
  apply(event: Event, commit: Commit): void
  /**
   * The events that recreate its rows, in an order that depends on the state only. None if the rows follow from the facts
   * of others. Cost: all rows, and those of a tenancy before its first one.
   */
  facts(): Iterable<Fact>
  /** Clears everything, for a rebuild from the log. */
  reset(): void
}

// The form of read models in snapshots: the facts that recreate their rows, and state besides the rows. It is versioned,
// and every later version of the program reads it.

/** The version of the form of all parts. Changes that earlier readers would misread increase it. */
export const SNAPSHOT_VERSION = 4

/** The event that recreates a row, with the index of its last change, or 0. Snapshots thus use the form of events, which stays readable. */
export interface Fact extends Omit<Event, 'FilterKeys' | 'Partition'> {
  /** Absent for `default`. */
  readonly Partition?: string
  readonly Index: number
}

interface FactParts<E extends Event> extends Omit<
  EventFields<E['Topic'], E['Type'], E['Payload']>,
  'FilterKeys'
> {
  readonly Index: number
}

/** Creates the fact of an event `E`. Empty secrets are omitted. */
export const fact = <E extends Event>({ tenancy = CLUSTER_TENANCY, ...parts }: FactParts<E>): Fact => {
  const { Topic, Type, Key, Index, Payload, Secrets } = parts
  const { partition, namespace } = tenancy
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

interface ResourceFactParts extends Pick<FactParts<Event>, 'tenancy' | 'Index' | 'Secrets'> {
  readonly Type?: string
}

/** Creates the fact of a resource, by default that of the event that creates it. */
export const resourceFact = <Resource, Payload extends object>(
  {
    topic,
    types: [created],
    payloadOf,
    keyOf
  }: ResourceEvents<string, readonly [string, ...string[]], Resource, Payload>,
  resource: Resource,
  { Type = created, ...parts }: ResourceFactParts
): Fact => {
  const Payload = payloadOf(resource)
  return fact({ Topic: topic, Type, Key: keyOf(Payload), Payload, ...parts })
}

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

/** Wraps the event of a fact in a commit without further metadata. @param base index of the snapshot that has it */
export const factCommit = (row: Fact, base: number): Commit => ({
  Index: row.Index || base,
  Time: '',
  By: NO_CALLER,
  Events: [eventOf(row)]
})

export interface SnapshotPart {
  /** JSON values in an order that follows from the state, which must not change meanwhile. */
  save(): Iterable<unknown>
  /** Restores rows in the order of `save`. @param rows JSON text of an array */
  load(rows: string): void
}

/** State of a read model besides its rows. */
export interface DerivedState extends SnapshotPart {
  /** Clears the state that follows from the facts, before the saved one replaces it. */
  clear(): void
}

/** @param load restores one row */
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
