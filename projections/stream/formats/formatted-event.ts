// An event of a commit, as the formats of other products describe it.
import { exactJson } from '../../../events/codec.js'
import type { Event, Origin } from '../../../events/envelope.js'
import { eventViewOf } from '../event-view.js'

export interface FormattedEvent {
  /** Index of its commit. */
  readonly index: number
  /** Position in its commit. */
  readonly position: number
  /** RFC 3339, of its commit. */
  readonly time: string
  readonly by: Origin
  readonly event: Event
  readonly hasPayload: boolean
}

/** Unique within a log. */
export const eventId = ({ index, position }: FormattedEvent): string => `${index}-${position}`

/** Properties that the formats have no field for. */
const ownFields = ({ index, by, event, hasPayload }: FormattedEvent): object => {
  const { Topic, Type, Key, Namespace, Partition, Erased } = event
  const { Command, Reason, ChangeSet, Owner, Cause } = by
  return {
    index,
    topic: Topic,
    type: Type,
    key: Key,
    namespace: Namespace,
    partition: Partition,
    command: Command,
    reason: Reason,
    change_set: ChangeSet,
    owner: Owner,
    cause: Cause,
    author_erased: by.Erased,
    ...(hasPayload && (Erased ? { erased: true } : { payload: eventViewOf(event).Payload }))
  }
}

/** Returns the JSON of a record of another product, with the own fields of the event under a name. */
export const recordText = (record: object, name: string, formatted: FormattedEvent): string => {
  const whole = { ...record, [name]: ownFields(formatted) }
  // Only flags of keys may be bigints, which the exact form costs more to look for.
  return formatted.hasPayload && formatted.event.Topic === 'KV' ? exactJson(whole) : JSON.stringify(whole)
}
