// Orders to erase something from the log.
import { setup } from 'xstate'
import { ERASURE_TOPIC, historyErased, type Erasure, type HistoryErased } from '../../events/erasure.js'
import type { Views } from '../../projections/read-models.js'
import type { Aggregate, Effects } from '../aggregate.js'
import type { Command } from '../command.js'
import type { Lifecycle, MachineEvent } from '../lifecycle.js'
import { invalid, Refusal } from '../refusal.js'

// Commands

/** What is still true of it was looked for before, up to `UpTo`. */
type EraseHistory = Command<'EraseHistory', Erasure>

const effects: Effects<EraseHistory> = { EraseHistory: 'removal' }

// Lifecycle: an order is given once, and stands

const erasureMachine = setup({ types: { events: {} as MachineEvent<HistoryErased> } }).createMachine({
  id: ERASURE_TOPIC,
  initial: 'absent',
  states: { absent: { on: { HistoryErased: 'ordered' } }, ordered: {} }
})

const erasureLifecycle: Lifecycle = {
  topic: ERASURE_TOPIC,
  machine: erasureMachine,
  endings: [],
  stateOf: ({ erasures }, { key }) => (erasures.has(key) ? 'ordered' : 'absent')
}

// Decisions

/** @throws Refusal `invalid` when it would erase what is not in the log yet; `conflict` while a snapshot is restored, which may hold it */
const decideErasure = ({ data }: EraseHistory, views: Views, index: number): readonly HistoryErased[] => {
  if (views.restore.current)
    throw new Refusal(
      'conflict',
      'A snapshot is being restored, which may hold it: try again when that has ended'
    )
  if (data.UpTo >= index) throw invalid(`Invalid UpTo: the log ends at commit ${index - 1}`)
  return [historyErased(String(index), data)]
}

export const erasureAggregate: Aggregate<EraseHistory> = {
  scope: 'cluster',
  lifecycle: erasureLifecycle,
  effects,
  decide: decideErasure
}
