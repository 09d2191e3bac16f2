import type { Event, Tenancy } from '../events/envelope.js'

interface EventParts<Topic extends string, Type extends string, Payload> {
  readonly Topic: Topic
  readonly Type: Type
  readonly Key: string
  /** Undefined for resources of the whole cluster. */
  readonly tenancy?: Tenancy
  readonly FilterKeys?: readonly string[]
  readonly Payload: Payload
  readonly Secrets?: Readonly<Record<string, string>>
}

/** Orders the fields as the event stream does. An empty list of filter keys becomes null. */
export const createEvent = <const Topic extends string, const Type extends string, Payload>(
  parts: EventParts<Topic, Type, Payload>
): Event<Topic, Type, Payload> => {
  const event = {
    Topic: parts.Topic,
    Type: parts.Type,
    Key: parts.Key,
    Namespace: parts.tenancy?.namespace ?? '',
    Partition: parts.tenancy?.partition ?? 'default',
    FilterKeys: parts.FilterKeys && parts.FilterKeys.length > 0 ? parts.FilterKeys : null,
    Payload: parts.Payload
  }
  return parts.Secrets ? { ...event, Secrets: parts.Secrets } : event
}
