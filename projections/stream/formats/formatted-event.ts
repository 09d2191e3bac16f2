// An event of an audited commit, as the formats of other products describe it.
import type { Event, Origin } from '../../../events/envelope.js'

export interface AuditedEvent {
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
export const eventId = ({ index, position }: AuditedEvent): string => `${index}-${position}`

type Action = 'create' | 'update' | 'delete'

const DELETIONS = /(?:Deleted?|Deregistration|Destroyed|Invalidated)$/
const CREATIONS = /^(?:Create|Clone|Bootstrap)/

/** Returns what the event did to its resource. Types of one state, such as KVSet, count as updates. */
export const actionOf = ({ event: { Type }, by: { Command } }: AuditedEvent): Action => {
  if (DELETIONS.test(Type)) return 'delete'
  return CREATIONS.test(Command) || Type.endsWith('Created') ? 'create' : 'update'
}

/** Properties that the formats have no field for. */
export const ownFields = ({ index, by, event, hasPayload }: AuditedEvent): object => {
  const { Topic, Type, Key, Namespace, Partition, Payload, Erased } = event
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
    ...(hasPayload && (Erased ? { erased: true } : { payload: Payload }))
  }
}
