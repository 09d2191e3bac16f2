// What of an entry decides whether chains compile and which protocol they have (spec: config.md §5, §7).
import { isDeepStrictEqual } from 'node:util'
import type { ConfigEntry } from '../../events/config-entry.js'
import { protocolOf } from '../chain/protocols.js'

const DEFAULT_PROTOCOL = 'tcp'

/** The protocol that services without service-defaults have. */
export const defaultProtocol = (entry: ConfigEntry | undefined): string =>
  (entry?.Kind === 'proxy-defaults' ? protocolOf(entry) : '') || DEFAULT_PROTOCOL

/** Weights, timeouts, load balancers, mesh gateways, filters and metadata decide nothing, so they are left out. */
const bearing = (entry: ConfigEntry): unknown => {
  switch (entry.Kind) {
    case 'service-defaults':
      return [entry.Protocol.toLowerCase() || DEFAULT_PROTOCOL, Boolean(entry.ExternalSNI)]
    case 'service-router':
      return [entry.Name, (entry.Routes ?? []).map(({ Destination }) => destination(Destination))]
    case 'service-splitter':
      return [entry.Name, entry.Splits.map(destination)]
    case 'service-resolver': {
      const { Name, DefaultSubset, Subsets, Redirect, Failover } = entry
      return [Name, DefaultSubset, Object.keys(Subsets ?? {}).toSorted(), Redirect, Failover]
    }
    case 'service-intentions':
    case 'ingress-gateway':
    case 'terminating-gateway':
    case 'exported-services':
    case 'proxy-defaults':
    case 'mesh':
      return entry
  }
}

interface Destination {
  readonly Service?: string
  readonly ServiceSubset?: string
  readonly Namespace?: string
  readonly Partition?: string
}

const destination = ({ Service, ServiceSubset, Namespace, Partition }: Destination = {}): unknown => [
  Service,
  ServiceSubset,
  Namespace,
  Partition
]

/**
 * Whether chains compile, and have the same protocols and kinds of start nodes, with one state of an entry as they do
 * with the other; undefined stands for its absence. Cost: the size of the entries.
 */
export const bearsTheSame = (before: ConfigEntry | undefined, after: ConfigEntry | undefined): boolean =>
  (before ?? after)?.Kind === 'proxy-defaults'
    ? defaultProtocol(before) === defaultProtocol(after)
    : before === after ||
      (before !== undefined && after !== undefined && isDeepStrictEqual(bearing(before), bearing(after)))
