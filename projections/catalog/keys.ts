// What a blocking query on the catalog waits for (spec: state.md §10).
import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../table.js'
import type { WatchName } from '../watch.js'

const key = (kind: string, within: string, name: string): WatchName =>
  `${kind}/${within}/${name.toLowerCase()}`

export const catalogKeys = {
  /** Any node of a partition. */
  nodes: (partition: string): WatchName => `nodes/${partition}`,
  /** One node, or a service on it. */
  node: (partition: string, name: string): WatchName => key('node', partition, name),
  /** Any service of a namespace. */
  services: (tenancy: Tenancy): WatchName => `services/${spaceOf(tenancy)}`,
  /** An instance of this name, its node, or a check that counts for it. */
  service: (tenancy: Tenancy, name: string): WatchName => key('service', spaceOf(tenancy), name),
  /** The same for what Connect reaches by this name. */
  connect: (tenancy: Tenancy, name: string): WatchName => key('connect', spaceOf(tenancy), name),
  /** Any check of a namespace. */
  checks: (tenancy: Tenancy): WatchName => `checks/${spaceOf(tenancy)}`,
  checksOfNode: (partition: string, name: string): WatchName => key('checks-of-node', partition, name),
  checksOfService: (tenancy: Tenancy, name: string): WatchName =>
    key('checks-of-service', spaceOf(tenancy), name)
} as const
