// The tenancy that an event names.
import { DEFAULT_TENANCY, type Event, type Tenancy } from '../events/envelope.js'

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
