// The life of a session.
import { setup } from 'xstate'
import { isSessionEvent, SESSION_TOPIC, type SessionEvent } from '../../events/session.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: SessionEvent['Type']
  readonly event: SessionEvent
}

const sessionMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: SESSION_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { SessionCreated: 'live' } },
    live: { on: { SessionDestroyed: 'absent', SessionInvalidated: 'absent' } }
  }
})

export const sessionLife: Life = {
  topic: SESSION_TOPIC,
  machine: sessionMachine,
  stateOf: (views, event) => (isSessionEvent(event) && views.sessions.get(event.Key) ? 'live' : 'absent')
}
