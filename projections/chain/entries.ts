// The configuration entries that chains are compiled from, and how errors name them.
import type { ConfigKind } from '../../events/config-entry.js'
import type { Tenancy } from '../../events/envelope.js'

/** The kinds that a chain is compiled from. */
export type ChainKind =
  'proxy-defaults' | 'service-defaults' | 'service-resolver' | 'service-router' | 'service-splitter'

/** Names a configuration entry, whether it exists or not. */
export interface EntryRef {
  readonly kind: ConfigKind
  readonly name: string
  readonly tenancy: Tenancy
}

/** An entry as errors name it; namespace and partition are said outside `default`. */
export const entryText = ({ kind, name, tenancy }: EntryRef): string =>
  `${kind} ${serviceText(name, tenancy)}`

/** A service as errors name it; namespace and partition are said outside `default`. */
export const serviceText = (name: string, { partition, namespace }: Tenancy): string => {
  if (partition !== 'default') return `"${name}.${namespace}.${partition}"`
  return namespace === 'default' ? `"${name}"` : `"${name}.${namespace}"`
}
