// The orders to erase that a log holds behind the commit up to which it is restored: nothing that they have erased comes back.
import { lifecycles } from '../../actors/aggregates.js'
import { partsOf, standing } from '../../actors/erasure/parts.js'
import { ERASURE_TOPIC, isErasureEvent, isOfWho, upTo, type Erasure } from '../../events/erasure.js'
import type { EventLog } from '../../events/log/log.js'
import { UsageError } from '../../clients/cli/console.js'

/**
 * The orders that are given again behind a commit, about the commits up to it. Costs what the orders are about.
 * @throws UsageError when something was true at that commit that was erased later: it cannot be true again, and the state cannot be
 *   made without it
 */
export const carriedOrders = async (log: EventLog, end: number): Promise<readonly Erasure[]> => {
  const orders: Erasure[] = []
  for await (const records of log.recordsOf([ERASURE_TOPIC], end + 1))
    for (const record of records)
      for (const event of record.events())
        if (isErasureEvent(event)) {
          await refuseRevived(log, record.index, event.Payload.Erasure, end)
          orders.push(upTo(event.Payload.Erasure, end))
        }
  return orders
}

const refuseRevived = async (log: EventLog, order: number, erasure: Erasure, end: number): Promise<void> => {
  if (isOfWho(erasure)) return
  const then = await standing(log, { ...erasure, UpTo: Math.min(erasure.UpTo, end) }, lifecycles)
  if (then.size === 0) return
  const keys = new Map([...then].map(([key, place]) => [place, key]))
  for await (const { index, events = [] } of partsOf(log, erasure, lifecycles))
    for (const number of events) {
      const key = keys.get(`${index}/${number}`)
      if (key !== undefined)
        throw new UsageError(
          `at commit ${end} ${erasure.Topic} "${key}" was as commit ${index} says, which was erased by the order of commit ${order}: restore up to a commit before it was made or after it had ended, or leave out --until`
        )
    }
}
