// Events as documents of the Elastic Common Schema.
import { actionOf, mappingOf, signInOf } from './event-mapping.js'
import { eventId, recordText, type FormattedEvent } from './formatted-event.js'

const ECS_VERSION = '8.17.0'

const TYPES = { create: 'creation', update: 'change', delete: 'deletion' } as const
const SIGN_IN_TYPES = { on: 'start', off: 'end' } as const

const classificationOf = (formatted: FormattedEvent): object => {
  const signIn = signInOf(formatted)
  if (signIn) return { category: ['authentication'], type: [SIGN_IN_TYPES[signIn]] }
  return { category: [mappingOf(formatted.event).category], type: [TYPES[actionOf(formatted)]] }
}

/** Returns the event as JSON. What ECS has no field for is below `Annals`. */
export const ecsRecord = (formatted: FormattedEvent): string => {
  const { by, event, index, time } = formatted
  const { AccessorID, Address, RequestID, Reason } = by
  const record = {
    '@timestamp': time,
    ecs: { version: ECS_VERSION },
    event: {
      kind: 'event',
      ...classificationOf(formatted),
      action: event.Type,
      outcome: 'success',
      id: eventId(formatted),
      sequence: index,
      module: 'annals',
      dataset: 'annals.audit',
      reason: Reason
    },
    ...(AccessorID !== '' && { user: { id: AccessorID } }),
    ...(Address !== '' && { source: { address: Address, ip: Address } }),
    ...(RequestID !== '' && { http: { request: { id: RequestID } } })
  }
  return recordText(record, 'Annals', formatted)
}
