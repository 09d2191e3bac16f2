// Whether something that is to be erased is still true.
import { setImmediate } from 'node:timers/promises'
import type { PayloadErasure } from '../../events/erasure.js'
import { KV_TOPIC } from '../../events/kv.js'
import type { Fact } from '../../projections/saved-form.js'
import { factsOfTopic } from '../../projections/stream/snapshot.js'
import type { Views } from '../../projections/read-models.js'

/** Rows that are looked at before others have their turn. */
const AT_ONCE = 1024

/**
 * The key of something that is still true. Costs the entries below the prefix in the KV store, else all things of the topic.
 * @returns undefined for none
 */
export async function findActiveData(views: Views, erasure: PayloadErasure): Promise<string | undefined> {
  const { Namespace, Partition, Key, Prefix = '' } = erasure
  let looked = 0
  for (const fact of factsFor(views, erasure)) {
    if (
      (fact.Namespace === Namespace || fact.Namespace === '') &&
      (fact.Partition ?? 'default') === Partition &&
      (Key === undefined ? fact.Key.startsWith(Prefix) : fact.Key === Key)
    )
      return fact.Key
    if (++looked % AT_ONCE === 0) await setImmediate()
  }
  return undefined
}

function factsFor(
  views: Views,
  { Topic, Namespace, Partition, Key, Prefix }: PayloadErasure
): Iterable<Fact> {
  if (Topic !== KV_TOPIC) return factsOfTopic(views, Topic)
  const tenancy = { partition: Partition, namespace: Namespace }
  if (Key === undefined) return views.kv.current(tenancy, Prefix)
  const one = views.kv.factAt(tenancy, Key)
  return one ? [one] : []
}
