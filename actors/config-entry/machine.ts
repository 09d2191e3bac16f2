// The lifecycle of a configuration entry.
import { setup } from 'xstate'
import {
  CONFIG_ENTRY_TOPIC,
  isConfigEntryEvent,
  nameOfEntry,
  type ConfigEntryEvent
} from '../../events/config-entry.js'
import type { Lifecycle } from '../aggregate.js'
import { placeOf } from './events.js'

interface Happening {
  readonly type: ConfigEntryEvent['Type']
  readonly event: ConfigEntryEvent
}

const configEntryMachine = setup({ types: { events: {} as Happening } }).createMachine({
  id: CONFIG_ENTRY_TOPIC,
  initial: 'absent',
  states: {
    absent: { on: { ConfigEntryUpserted: 'live' } },
    live: { on: { ConfigEntryUpserted: 'live', ConfigEntryDeleted: 'absent' } }
  }
})

export const configEntryLifecycle: Lifecycle = {
  topic: CONFIG_ENTRY_TOPIC,
  machine: configEntryMachine,
  stateOf: (views, event) => {
    if (!isConfigEntryEvent(event)) return 'absent'
    const entry = event.Payload.ConfigEntry
    return views.config.row(entry.Kind, nameOfEntry(entry), placeOf(event)) ? 'live' : 'absent'
  }
}
