import type { Event, Tenancy } from '../events/envelope.js'

interface EventFields<Topic extends string, Type extends string, Payload> {
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
export const createEvent = <const Topic extends string, const Type extends string, Payload>({
  Topic,
  Type,
  Key,
  tenancy: { namespace: Namespace, partition: Partition } = { namespace: '', partition: 'default' },
  FilterKeys = [],
  Payload,
  Secrets
}: EventFields<Topic, Type, Payload>): Event<Topic, Type, Payload> => {
  const keys = FilterKeys.length > 0 ? FilterKeys : null
  const event = { Topic, Type, Key, Namespace, Partition, FilterKeys: keys, Payload }
  return Secrets ? { ...event, Secrets } : event
}
