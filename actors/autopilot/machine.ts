// The life of the settings by which the servers of the cluster are looked after: once set they are only replaced.
import { setup } from 'xstate'
import { AUTOPILOT_TOPIC, type AutopilotUpserted } from '../../events/autopilot.js'
import type { Life } from '../aggregate.js'

interface Happening {
  readonly type: AutopilotUpserted['Type']
  readonly event: AutopilotUpserted
}

const autopilotMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: AUTOPILOT_TOPIC,
  initial: 'default',
  states: {
    default: { on: { AutopilotUpserted: 'set' } },
    set: { on: { AutopilotUpserted: 'set' } }
  }
})

export const autopilotLife: Life = {
  topic: AUTOPILOT_TOPIC,
  machine: autopilotMachine,
  stateOf: ({ autopilot }) => (autopilot.current.ModifyIndex === 0 ? 'default' : 'set')
}
