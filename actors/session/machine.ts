// The life of a session.
import { setup } from 'xstate'
import { parseDuration } from '../../events/duration.js'
import { isSessionEvent, SESSION_TOPIC, type SessionEvent } from '../../events/session.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: SessionEvent['Type']
  readonly event: SessionEvent
}

const sessionMachine = setup({
  types: { events: {} as Happening },
  // Whoever ends sessions by their TTL relies on it, also with what a snapshot brings.
  guards: {
    hasReadableTtl: ({ event: { event } }) => {
      const { TTL } = event.Payload.Session
      return TTL === '' || parseDuration(TTL) !== undefined
    }
  }
}).createMachine({
  id: SESSION_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { SessionCreated: { target: 'live', guard: 'hasReadableTtl' } } },
    live: { on: { SessionDestroyed: 'absent', SessionInvalidated: 'absent' } }
  }
})

export const sessionLife: Life = {
  topic: SESSION_TOPIC,
  machine: sessionMachine,
  stateOf: (views, event) => (isSessionEvent(event) && views.sessions.get(event.Key) ? 'live' : 'absent')
}
