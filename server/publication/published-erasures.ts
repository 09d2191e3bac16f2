// Executes erasures in published records. Their commits may be pruned on the server, which then cannot return them again.
import { lifecycles } from '../../actors/aggregates.js'
import { partsToEraseBy, type SearchedLog } from '../../actors/erasure/parts-to-erase.js'
import { mergeErasures, type CommitErasure, type Erasure } from '../../events/erasure.js'
import { partsToErase } from '../../events/log/erasure/erasable-parts.js'
import { ERASED_BYTE } from '../../events/log/record-format.js'
import type { StoredRecord } from '../../events/log/record.js'

/** Returns the parts that orders erase, by commit. */
export const partsOfOrders = async (
  orders: readonly Erasure[],
  log: SearchedLog
): Promise<ReadonlyMap<number, CommitErasure>> => {
  const erased = new Map<number, CommitErasure>()
  for (const order of orders)
    for await (const parts of partsToEraseBy(log, order, lifecycles))
      erased.set(parts.index, mergeErasures(erased.get(parts.index), parts))
  return erased
}

/** Returns the bytes of a record with erased parts: its own bytes if there are none to erase. */
export const withoutParts = async (
  record: StoredRecord,
  erasing: CommitErasure | undefined
): Promise<Buffer> => {
  const parts = erasing ? await partsToErase(record, erasing) : []
  if (parts.length === 0) return record.bytes
  const bytes = Buffer.from(record.bytes)
  for (const { start, end } of parts) bytes.fill(ERASED_BYTE, start, end)
  return bytes
}
