import {
  defineResource,
  generated,
  indexes,
  optionalWritable,
  writable,
  textListType,
  textType
} from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'
import { resourceEvents, type EventOf } from './envelope.js'

/** Commits that neither retention nor an erasure may remove (docs/how-to/legal-hold.md). Holds belong to the whole cluster. */
export const legalHoldDefinition = defineResource({
  name: 'LegalHold',
  example: {
    given: {
      Topics: ['KV:customers/4711/'],
      Namespace: 'default',
      Partition: 'default',
      From: '2026-01-01T00:00:00Z'
    },
    made: { Name: 'case-2026-117', Reason: 'request 2026-117', CreateIndex: 61, ModifyIndex: 61 }
  },
  fields: {
    Name: generated(textType, 'Letters, digits, _, . and -, at most 128; the path says it'),
    Topics: optionalWritable(
      textListType,
      'Topics of the held events as the stream takes them, Topic or Topic:key, a key that ends in / for all below it; none: all'
    ),
    Namespace: writable(textType, 'Namespace of the held events, * for all', { otherwise: '*' }),
    Partition: writable(textType, 'Admin partition of the held events, * for all', { otherwise: '*' }),
    From: optionalWritable(textType, 'Start of the held period, RFC 3339; none: the start of the log'),
    Until: optionalWritable(textType, 'End of the held period, RFC 3339; none: open'),
    Reason: generated(textType, 'Why it was placed: the X-Service-Reason of the request'),
    ...indexes
  }
})

export type LegalHold = Stored<typeof legalHoldDefinition.fields>
export type LegalHoldInput = Input<typeof legalHoldDefinition.fields>

export const LEGAL_HOLD_TOPIC = 'LegalHold'
/** `LegalHoldPlaced`: a new hold, or one with another scope. */
export const legalHoldEvents = resourceEvents({
  topic: LEGAL_HOLD_TOPIC,
  types: ['LegalHoldPlaced', 'LegalHoldLifted'],
  payloadOf: (hold: LegalHold) => ({ LegalHold: hold }),
  keyOf: ({ LegalHold }) => LegalHold.Name
})
export type LegalHoldEvent = EventOf<typeof legalHoldEvents>
export const isLegalHoldEvent = legalHoldEvents.is
