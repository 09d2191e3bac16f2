// The life of the log: whole at first, and from its first base on without its oldest commits.
import { setup } from 'xstate'
import { LOG_TOPIC, type LogRetained } from '../../events/retention.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: LogRetained['Type']
  readonly event: LogRetained
}

const logMachine = setup({
  types: { events: {} as Happening },
  guards: { hasBase: ({ event }) => /^[0-9a-f]{64}$/.test(event.event.Payload.Retention.Base) }
}).createMachine({
  id: LOG_TOPIC,
  initial: 'whole',
  states: {
    whole: { on: { LogRetained: { target: 'retained', guard: 'hasBase' } } },
    retained: { on: { LogRetained: { target: 'retained', guard: 'hasBase' } } }
  }
})

export const logLife: Life = {
  topic: LOG_TOPIC,
  machine: logMachine,
  stateOf: views => (views.retainedLog.retention ? 'retained' : 'whole')
}
