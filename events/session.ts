import { resourceEvents, type EventOf } from './envelope.js'
import { SECOND } from './duration.js'
import {
  indexes,
  tenancy,
  writable,
  generated,
  defineResource,
  presenceTracked,
  optionalPresenceTracked,
  choiceType,
  delayType,
  listType,
  nullableType,
  objectType,
  textType,
  textListType
} from './definition/fields.js'
import type { Input, Stored } from './definition/types.js'

const serviceCheck = objectType({
  ID: writable(textType, 'ID of the check'),
  Namespace: writable(textType, 'Namespace of the service; empty for that of the session')
})

/** Spec: state.md §2, §5. */
export const sessionDefinition = defineResource({
  name: 'Session',
  example: {
    given: { Name: 'leader of web', TTL: '30s', Behavior: 'release' },
    made: {
      ID: '71143eea-f1ac-44d0-b959-0d2ff1b0e0a4',
      Node: 'server-1',
      LockDelay: 15 * SECOND,
      NodeChecks: ['serfHealth'],
      ServiceChecks: null,
      CreateIndex: 41,
      ModifyIndex: 41
    }
  },
  isNotSentBack: true,
  fields: {
    ID: generated(textType, 'UUID; set by the service'),
    Name: writable(textType, 'Free text'),
    Node: presenceTracked(
      textType,
      'The node it lives on, as its creator spelled it; by default this server’s own'
    ),
    LockDelay: writable(
      delayType,
      'Nanoseconds that its locks stay closed after its end, of which a minute counts; a duration may be given, and numbers below 1000 are seconds',
      { otherwise: 15 * SECOND }
    ),
    Behavior: writable(
      choiceType('release', 'delete'),
      'What becomes of its keys at its end: release or delete',
      {
        otherwise: 'release'
      }
    ),
    TTL: writable(
      textType,
      'It ends when it is not renewed for so long, a duration of 10s to 24h; empty for never'
    ),
    NodeChecks: writable(nullableType(textListType), 'Checks of the node that end it by failing', {
      otherwise: ['serfHealth']
    }),
    ServiceChecks: writable(
      nullableType(listType(serviceCheck)),
      'Checks of services that end it by failing'
    ),
    Checks: optionalPresenceTracked(nullableType(textListType), 'Of old: further checks of the node'),
    ...tenancy,
    ...indexes
  }
})

export type Session = Stored<typeof sessionDefinition.fields>
export type SessionInput = Input<typeof sessionDefinition.fields>
/** What happens to locked keys at the end of a session. */
export type SessionBehavior = Session['Behavior']

export const SESSION_TOPIC = 'Session'
/** `SessionDestroyed`: ended by a request. `SessionInvalidated`: ended by its TTL, a check or its node. */
export const sessionEvents = resourceEvents({
  topic: SESSION_TOPIC,
  types: ['SessionCreated', 'SessionDestroyed', 'SessionInvalidated'],
  payloadOf: (session: Session) => ({ Session: session }),
  keyOf: payload => payload.Session.ID,
  filterKeysOf: payload => [payload.Session.Node, payload.Session.Name]
})
export type SessionEvent = EventOf<typeof sessionEvents>
export const isSessionEvent = sessionEvents.is
