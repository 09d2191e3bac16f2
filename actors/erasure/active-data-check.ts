import { setImmediate } from 'node:timers/promises'
import type { PayloadErasure } from '../../events/erasure.js'
import { KV_TOPIC } from '../../events/kv.js'
import type { Fact } from '../../projections/projection.js'
import { factsOfTopic } from '../../projections/stream/snapshot.js'
import type { Views } from '../../projections/read-models.js'

const ROWS_PER_TURN = 1024

/** Returns the key of a matching present resource, or undefined. Costs the entries below the prefix in the KV store, otherwise all of the topic. */
export async function findActiveData(views: Views, erasure: PayloadErasure): Promise<string | undefined> {
  const { Namespace, Partition, Key, Prefix = '' } = erasure
  let checked = 0
  for (const fact of factsFor(views, erasure)) {
    if (
      (fact.Namespace === Namespace || fact.Namespace === '') &&
      (fact.Partition ?? 'default') === Partition &&
      (Key === undefined ? fact.Key.startsWith(Prefix) : fact.Key === Key)
    )
      return fact.Key
    if (++checked % ROWS_PER_TURN === 0) await setImmediate()
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
