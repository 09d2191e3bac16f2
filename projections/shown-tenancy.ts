// How answers show where a thing lives (spec: tenancy.md §8).
import type { Tenancy } from '../events/envelope.js'

/** `Namespace` and `Partition` of an answer's object: each only where it is not `default`. */
export const shownTenancy = ({ partition, namespace }: Tenancy) => ({
  ...(namespace === 'default' ? {} : { Namespace: namespace }),
  ...(partition === 'default' ? {} : { Partition: partition })
})
