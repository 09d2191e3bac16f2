import { DEFAULT_TENANCY, type Tenancy, type Event } from '../events/envelope.js'

let latest: Tenancy = DEFAULT_TENANCY

/** Consecutive events of the same tenancy share one object, and so do most rows. */
export const tenancyOf = ({ Partition, Namespace }: Event): Tenancy => {
  if (latest.namespace === Namespace && latest.partition === Partition) return latest
  const { namespace, partition } = DEFAULT_TENANCY
  latest =
    Namespace === namespace && Partition === partition
      ? DEFAULT_TENANCY
      : { partition: Partition, namespace: Namespace }
  return latest
}

/** The tenancy of an event, with `default` for events without a namespace. */
export const namespacedTenancyOf = ({
  Partition,
  Namespace
}: Pick<Event, 'Partition' | 'Namespace'>): Tenancy => ({
  partition: Partition,
  namespace: Namespace || 'default'
})

/** Nodes have no namespace: their rules are in `default`. */
export const nodeTenancy = ({ partition }: Tenancy): Tenancy => ({ partition, namespace: 'default' })

interface ShownTenancy {
  readonly Namespace?: string
  readonly Partition?: string
}

const NOTHING: ShownTenancy = {}

/** `Namespace` and `Partition` of an object in a response (spec: tenancy.md §8); omitted for `default`. */
export const tenancyViewOf = ({ partition, namespace }: Tenancy): ShownTenancy => {
  if (partition === 'default') return namespace === 'default' ? NOTHING : { Namespace: namespace }
  return namespace === 'default' ? { Partition: partition } : { Namespace: namespace, Partition: partition }
}
