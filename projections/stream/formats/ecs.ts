// Events as documents of the Elastic Common Schema.
import { actionOf, eventId, ownFields, type FormattedEvent } from './formatted-event.js'

const ECS_VERSION = '8.17.0'

const TYPES = { create: 'creation', update: 'change', delete: 'deletion' } as const

/** Returns the event as JSON. What ECS has no field for is below `Annals`. */
export const ecsLine = (audited: FormattedEvent): string => {
  const { by, event, index, time } = audited
  const { AccessorID, Address, RequestID, Reason } = by
  return JSON.stringify({
    '@timestamp': time,
    ecs: { version: ECS_VERSION },
    event: {
      kind: 'event',
      category: [event.Topic.startsWith('ACL') ? 'iam' : 'configuration'],
      type: [TYPES[actionOf(audited)]],
      action: event.Type,
      outcome: 'success',
      id: eventId(audited),
      sequence: index,
      module: 'annals',
      dataset: 'annals.audit',
      reason: Reason
    },
    ...(AccessorID !== '' && { user: { id: AccessorID } }),
    ...(Address !== '' && { source: { address: Address, ip: Address } }),
    ...(RequestID !== '' && { http: { request: { id: RequestID } } }),
    Annals: ownFields(audited)
  })
}
