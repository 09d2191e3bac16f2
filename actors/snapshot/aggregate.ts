// The restoring of a snapshot: one commit that makes the state what the snapshot says. What was stays in the log.
import type { Event } from '../../events/envelope.js'
import type { Views } from '../../projections/views.js'
import type { Decider } from '../aggregate.js'
import type { Command } from '../command.js'
import { Refusal } from '../refusal.js'
import { within } from './within.js'

/** `changes` lead from the state at the index `from` to that of the snapshot. */
export type RestoreSnapshot = Command<
  'RestoreSnapshot',
  { readonly from: number; readonly changes: readonly Event[] }
>

/** @throws Refusal `conflict` when something else was decided meanwhile */
const decide = ({ data }: RestoreSnapshot, views: Views, index: number): readonly Event[] => {
  if (views.index !== data.from)
    throw new Refusal('conflict', 'The state changed while the snapshot was compared to it: try again')
  return data.changes.map(event => within(event, index))
}

export const snapshotAggregate: Decider<RestoreSnapshot> = { decide }
