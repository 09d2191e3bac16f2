// The life of an ACL token.
import { setup } from 'xstate'
import { ANONYMOUS_ACCESSOR, isTokenEvent, TOKEN_TOPIC, type TokenEvent } from '../../events/token.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: TokenEvent['Type']
  readonly event: TokenEvent
}

const tokenMachine = setup({
  types: { events: {} as Happening },
  guards: { isNotAnonymous: ({ event }) => event.event.Key !== ANONYMOUS_ACCESSOR }
}).createMachine({
  id: TOKEN_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { ACLTokenUpserted: 'live' } },
    live: {
      on: { ACLTokenUpserted: 'live', ACLTokenDeleted: { target: 'absent', guard: 'isNotAnonymous' } }
    }
  }
})

export const tokenLife: Life = {
  topic: TOKEN_TOPIC,
  machine: tokenMachine,
  stateOf: (views, event) => (isTokenEvent(event) && views.tokens.get(event.Key) ? 'live' : 'absent')
}
