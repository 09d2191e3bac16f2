import { ERASURE_TOPIC, historyErased, type Erasure, type HistoryErased } from '../../events/erasure.js'
import type { Aggregate, Command } from '../aggregate.js'
import { holdsChanged } from '../legal-hold.js'
import { lifecycleOf } from '../lifecycle.js'
import { invalid, Refusal } from '../refusal.js'

/** The caller has checked that no matching data is in the state at `UpTo`. */
type EraseHistory = Command<
  'EraseHistory',
  {
    readonly erasure: Erasure
    /** The index of the legal holds that were examined. */
    readonly checkedHolds: number
  }
>

/** @throws Refusal `invalid` for an index after the log's end; `conflict` while a restore runs, or when a legal hold has changed */
export const erasureAggregate: Aggregate<EraseHistory> = {
  scope: 'cluster',
  lifecycle: lifecycleOf<HistoryErased>({
    topic: ERASURE_TOPIC,
    states: { absent: { HistoryErased: 'ordered' }, ordered: {} },
    stateOf: ({ erasures }, { key }) => (erasures.has(key) ? 'ordered' : 'absent')
  }),
  removals: ['EraseHistory'],
  decide: ({ data: { erasure, checkedHolds } }, views, index) => {
    if (checkedHolds !== views.legalHolds.index) throw holdsChanged()
    if (views.restore.current)
      throw new Refusal(
        'erasure.conflict',
        'A snapshot is being restored, which may hold it: try again when that has ended'
      )
    if (erasure.UpTo >= index)
      throw invalid('erasure.invalid', `Invalid UpTo: the log ends at commit ${index - 1}`)
    return [historyErased(String(index), erasure)]
  }
}
