// IDs are unique over all tenancies, but a thing is found only in its own (spec: tenancy.md §6).
import type { Tenancy } from '../events/envelope.js'

/** The row, if it belongs to this tenancy; with `*` as the namespace, to any of the partition. */
export const within = <Row extends { readonly tenancy: Tenancy }>(
  row: Row | undefined,
  { partition, namespace }: Tenancy
): Row | undefined =>
  row && row.tenancy.partition === partition && (namespace === '*' || row.tenancy.namespace === namespace)
    ? row
    : undefined
