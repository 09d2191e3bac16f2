// How answers show where a thing lives (spec: tenancy.md §8).
import type { Tenancy } from '../events/envelope.js'

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
