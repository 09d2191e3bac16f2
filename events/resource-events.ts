import { createEvent, type Event, type Tenancy } from './envelope.js'

/** The events of a resource kind, each with the whole resource as its payload. */
export interface EventKind<Topic extends string, Type extends string, Resource, Payload> {
  readonly topic: Topic
  /** The first type is that of the event that creates or replaces a resource. */
  readonly types: readonly [Type, ...Type[]]
  readonly payloadOf: (resource: Resource) => Payload
  readonly keyOf: (payload: Payload) => string
  /** Empty keys are omitted. */
  readonly filterKeysOf?: (payload: Payload) => readonly string[]
}

/** Declares the events of a resource kind. */
export const resourceEvents = <
  const Topic extends string,
  const Type extends string,
  Resource,
  Payload extends object
>(
  kind: EventKind<Topic, Type, Resource, Payload>
) => {
  const { topic, payloadOf, keyOf, filterKeysOf = () => [] } = kind
  const is = (event: Event): event is Event<Topic, Type, Payload> => event.Topic === topic
  const filterKeys = (payload: Payload): readonly string[] => filterKeysOf(payload).filter(key => key !== '')
  return {
    ...kind,
    is,
    /** Returns the filter keys of an event of the kind; undefined for another event. */
    filterKeysIn: (event: Event): readonly string[] | undefined =>
      is(event) ? filterKeys(event.Payload) : undefined,
    create: (
      type: Type,
      tenancy: Tenancy,
      resource: Resource,
      Secrets?: Readonly<Record<string, string>>
    ): Event<Topic, Type, Payload> => {
      const Payload = payloadOf(resource)
      const FilterKeys = filterKeys(Payload)
      return createEvent({
        Topic: topic,
        Type: type,
        Key: keyOf(Payload),
        tenancy,
        FilterKeys,
        Payload,
        Secrets
      })
    }
  }
}

/** The events of a declared kind. */
export type EventOf<Kind extends { readonly create: (...parts: never) => Event }> = ReturnType<Kind['create']>
