import { ERASURE_TOPIC, historyErased, type Erasure, type HistoryErased } from '../../events/erasure.js'
import type { Aggregate, Command } from '../aggregate.js'
import { lifecycleOf } from '../lifecycle.js'
import { invalid, Refusal } from '../refusal.js'

/** The caller has checked that no matching data is in the state at `UpTo`. */
type EraseHistory = Command<'EraseHistory', Erasure>

/** @throws Refusal `invalid` for an index after the log's end; `conflict` while a restore runs */
export const erasureAggregate: Aggregate<EraseHistory> = {
  scope: 'cluster',
  lifecycle: lifecycleOf<HistoryErased>({
    topic: ERASURE_TOPIC,
    states: { absent: { HistoryErased: 'ordered' }, ordered: {} },
    stateOf: ({ erasures }, { key }) => (erasures.has(key) ? 'ordered' : 'absent')
  }),
  removals: ['EraseHistory'],
  decide: ({ data }, views, index) => {
    if (views.restore.current)
      throw new Refusal(
        'erasure.conflict',
        'A snapshot is being restored, which may hold it: try again when that has ended'
      )
    if (data.UpTo >= index)
      throw invalid('erasure.invalid', `Invalid UpTo: the log ends at commit ${index - 1}`)
    return [historyErased(String(index), data)]
  }
}
