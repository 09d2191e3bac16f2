// How answers show where a thing lives (spec: tenancy.md §8).
import type { Tenancy, Event } from '../events/envelope.js'
import { DEFAULT_TENANCY } from '../events/envelope.js'

/** The tenancy that an event names. */
let latest: Tenancy = DEFAULT_TENANCY

/** One object for events of the same tenancy that follow each other, so that most rows share theirs. */
export const tenancyOf = ({ Partition, Namespace }: Event): Tenancy => {
  if (latest.namespace === Namespace && latest.partition === Partition) return latest
  const { namespace, partition } = DEFAULT_TENANCY
  latest =
    Namespace === namespace && Partition === partition
      ? DEFAULT_TENANCY
      : { partition: Partition, namespace: Namespace }
  return latest
}

interface ShownTenancy {
  readonly Namespace?: string
  readonly Partition?: string
}

const NOTHING: ShownTenancy = {}

/** `Namespace` and `Partition` of an answer's object: each only where it is not `default`. */
export const tenancyViewOf = ({ partition, namespace }: Tenancy): ShownTenancy => {
  if (partition === 'default') return namespace === 'default' ? NOTHING : { Namespace: namespace }
  return namespace === 'default' ? { Partition: partition } : { Namespace: namespace, Partition: partition }
}
