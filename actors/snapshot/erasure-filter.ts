// Prevents a restore of erased data.
import { isOriginErasure, type PayloadErasure } from '../../events/erasure.js'
import type { Views } from '../../projections/read-models.js'
import { isErasedBy } from '../erasure/parts-to-erase.js'
import { Refusal } from '../refusal.js'
import type { VerifiedArchive } from './archive-store.js'

/** The same text for the same order in any log. */
const nameOf = ({ Topic, Partition, Namespace, Key, Prefix, Scope, UpTo }: PayloadErasure): string =>
  JSON.stringify([Topic, Partition, Namespace, Key, Prefix, Scope, UpTo])

/**
 * Compares an archive with the erasure orders that it does not contain: data that matches them may be older
 * than the order.
 * @throws Refusal `conflict` when it contains such data
 */
export const rejectErasedData = async (archive: VerifiedArchive, { erasures }: Views): Promise<void> => {
  const known = new Set(
    archive.erasures.flatMap(erasure => (isOriginErasure(erasure) ? [] : [nameOf(erasure)]))
  )
  const unknown = erasures.list.flatMap(({ index, erasure }) =>
    isOriginErasure(erasure) || known.has(nameOf(erasure)) ? [] : [{ index, erasure }]
  )
  if (unknown.length === 0) return
  for await (const events of archive.events())
    for (const event of events) {
      const order = unknown.find(({ erasure }) => isErasedBy(event, erasure))
      if (order)
        throw new Refusal(
          'conflict',
          `The snapshot would bring back ${event.Topic} "${event.Key}", which commit ${order.index} ordered to be erased: restore one that was saved after that commit`
        )
    }
}
