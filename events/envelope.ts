// The envelope of the log: commits, events, their tenancies, and idempotent responses.

/** Length of the key's first part, which identifies the owner. */
export const OWNER_BYTES = 4

/** May contain secrets. Stored in a separate part, encrypted like secrets, and never streamed or exported. */
export interface IdempotentResponse {
  /** Idempotency key, Base64: 4 bytes of a SHA-256 of its owner's accessor, then 12 bytes of one of the key with its scope. */
  readonly Key: string
  /** SHA-256 of the body of the request, Base64. */
  readonly Body: string
  readonly Status: number
  /** Content type; empty without a body. */
  readonly Type: string
  /** Alternating names and values. */
  readonly Headers: readonly string[]
  readonly Text: string
  /** JSON of the permissions that the write required. They are checked again before the response is repeated. */
  readonly Rights: string
}

/** Lower case. Requests that name no partition or namespace use `default` (spec: tenancy.md §5). */
export interface Tenancy {
  readonly partition: string
  readonly namespace: string
}

export const DEFAULT_TENANCY: Tenancy = Object.freeze({ partition: 'default', namespace: 'default' })

/** The tenancy of events about resources of the whole cluster. */
export const CLUSTER_TENANCY: Tenancy = Object.freeze({ partition: 'default', namespace: '' })

/**
 * A change of one resource. `Payload` is the full state after the change (for a deletion: the last state), so that
 * subscribers need no other request and read models can be rebuilt from the last event of each key.
 * Spec: stream.md §4, §15.
 */
export interface Event<Topic extends string = string, Type extends string = string, Payload = object> {
  readonly Topic: Topic
  readonly Type: Type
  /** Identifies the resource within its topic, partition and namespace. */
  readonly Key: string
  /** Empty for resources without a namespace. */
  readonly Namespace: string
  readonly Partition: string
  /** Further keys for subscriptions; null if there are none. */
  readonly FilterKeys: readonly string[] | null
  readonly Payload: Payload
  /** The payload was erased from the log. It is an empty object here and omitted from responses. */
  readonly Erased?: true
  /** Visible to projections only. Never streamed, exported or logged. */
  readonly Secrets?: Readonly<Record<string, string>>
}

/** The parts of an event. */
export interface EventFields<Topic extends string, Type extends string, Payload> {
  readonly Topic: Topic
  readonly Type: Type
  readonly Key: string
  /** Undefined for resources of the whole cluster. */
  readonly tenancy?: Tenancy
  readonly FilterKeys?: readonly string[]
  readonly Payload: Payload
  readonly Secrets?: Readonly<Record<string, string>> | undefined
}

const isFilled = (text: string): boolean => text !== ''

/** Orders the fields as the event stream does. Empty filter keys are omitted; an empty list becomes null. */
export const createEvent = <const Topic extends string, const Type extends string, Payload>({
  Topic,
  Type,
  Key,
  tenancy: { namespace: Namespace, partition: Partition } = CLUSTER_TENANCY,
  FilterKeys = [],
  Payload,
  Secrets
}: EventFields<Topic, Type, Payload>): Event<Topic, Type, Payload> => {
  const filled = FilterKeys.includes('') ? FilterKeys.filter(isFilled) : FilterKeys
  const keys = filled.length > 0 ? filled : null
  return Secrets
    ? { Topic, Type, Key, Namespace, Partition, FilterKeys: keys, Payload, Secrets }
    : { Topic, Type, Key, Namespace, Partition, FilterKeys: keys, Payload }
}

type EventTypes = readonly [string, ...string[]]

/** The events of a resource kind, each with the whole resource as its payload. */
export interface ResourceEvents<Topic extends string, Types extends EventTypes, Resource, Payload> {
  readonly topic: Topic
  /** The first one is of the event that creates or replaces a resource; if there are two, the second deletes it. */
  readonly types: Types
  readonly payloadOf: (resource: Resource) => Payload
  readonly keyOf: (payload: Payload) => string
  /** Empty keys are omitted. */
  readonly filterKeysOf?: (payload: Payload) => readonly string[]
}

/** A union of the events of each type. */
type EventsOf<Topic extends string, Type extends string, Payload> = Type extends string
  ? Event<Topic, Type, Payload>
  : never

const NONE: readonly string[] = []

/** Declares the events of a resource kind. */
export const resourceEvents = <
  const Topic extends string,
  const Types extends EventTypes,
  Resource,
  Payload extends object
>(
  kind: ResourceEvents<Topic, Types, Resource, Payload>
) => {
  const { topic, payloadOf, keyOf, filterKeysOf = () => NONE } = kind
  const isOfTopic = (event: Event): event is Event<Topic, Types[number], Payload> => event.Topic === topic
  return {
    ...kind,
    is: (event: Event): event is EventsOf<Topic, Types[number], Payload> => event.Topic === topic,
    /** Returns the filter keys of an event of the kind; none for another event. */
    filterKeysIn: (event: Event): readonly string[] =>
      isOfTopic(event) ? filterKeysOf(event.Payload).filter(isFilled) : NONE,
    create: <const One extends Types[number]>(
      Type: One,
      tenancy: Tenancy,
      resource: Resource,
      Secrets?: Readonly<Record<string, string>>
    ): Event<Topic, One, Payload> => {
      const Payload = payloadOf(resource)
      const FilterKeys = filterKeysOf(Payload)
      return createEvent({ Topic: topic, Type, Key: keyOf(Payload), tenancy, FilterKeys, Payload, Secrets })
    }
  }
}

/** The events of a declared kind. */
export type EventOf<Kind> =
  Kind extends ResourceEvents<infer Topic, infer Types, never, infer Payload>
    ? EventsOf<Topic, Types[number], Payload>
    : never

/** An event as the log stores it without its payload. */
export interface StoredHead extends Omit<Event, 'Partition' | 'Payload' | 'Secrets'> {
  /** Absent for `default`. */
  readonly Partition?: string
}

/** The newest commit of an earlier incarnation of a log that was cut or forked (log-files.md §6). */
interface LogEnd {
  /** ID of the log, 16 bytes in hex. */
  readonly Log: string
  readonly Incarnation: number
  /** Index and hex hash of its newest known commit. */
  readonly Index: number
  readonly Hash: string
}

/** Index of the commit that caused another; a list in ascending order if there are several. */
export type Cause = number | readonly number[]

/** The caller, command and reason of a commit, for auditors. */
export interface Origin {
  /** Accessor of the caller's token; empty for the server itself. */
  readonly AccessorID: string
  /** Source address of the request; empty for the server itself. */
  readonly Address: string
  readonly RequestID: string
  /** Name of the command, such as `CreateToken`. */
  readonly Command: string
  readonly Reason?: string
  /** ID of the change set of the commit. */
  readonly ChangeSet?: string
  /** Label of the owner that the change set declares for its resources. */
  readonly Owner?: string
  /** Index of the causing commit, such as the token's creation for its expiration. */
  readonly Cause?: Cause
  /** The origin was erased from the log: all other fields are empty. */
  readonly Erased?: true
  /** In the first commit of an incarnation: the end of the previous incarnation. */
  readonly Continues?: LogEnd
}

/** Origin of commits without a known caller. */
export const NO_CALLER: Origin = { AccessorID: '', Address: '', RequestID: '', Command: '' }

/** The events of one command, appended atomically. Indexes are consecutive from 1. */
export interface Commit {
  readonly Index: number
  /** RFC 3339, UTC, of the append. Informational only: no logic may depend on it. */
  readonly Time: string
  readonly By: Origin
  readonly Events: readonly Event[]
  /** Response to a request with an idempotency key. Secret like `Secrets`. */
  readonly Answer?: IdempotentResponse
}
