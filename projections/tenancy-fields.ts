// How answers show the tenancy of a thing.
import type { Tenancy } from '../events/envelope.js'

interface TenancyFields {
  readonly Namespace?: string
  readonly Partition?: string
}

/** `Namespace` and `Partition`, each only outside of `default` (spec: tenancy.md §8). */
export const tenancyFields = ({ partition, namespace }: Tenancy): TenancyFields => ({
  ...(namespace === 'default' ? {} : { Namespace: namespace }),
  ...(partition === 'default' ? {} : { Partition: partition })
})
