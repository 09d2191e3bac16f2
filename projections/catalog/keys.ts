// What a blocking query on the catalog waits for (spec: state.md §10).
import type { Tenancy } from '../../events/envelope.js'
import { spaceOf } from '../table.js'
import type { WatchKey } from '../watch.js'

const key = (kind: string, within: string, name: string): WatchKey =>
  `${kind}/${within}/${name.toLowerCase()}`

export const catalogKeys = {
  /** Any node of a partition. */
  nodes: (partition: string): WatchKey => `nodes/${partition}`,
  /** One node, or a service on it. */
  node: (partition: string, name: string): WatchKey => key('node', partition, name),
  /** Any service of a namespace. */
  services: (tenancy: Tenancy): WatchKey => `services/${spaceOf(tenancy)}`,
  /** An instance of this name, its node, or a check that counts for it. */
  service: (tenancy: Tenancy, name: string): WatchKey => key('service', spaceOf(tenancy), name),
  /** The same for what Connect reaches by this name. */
  connect: (tenancy: Tenancy, name: string): WatchKey => key('connect', spaceOf(tenancy), name),
  /** Any check of a namespace. */
  checks: (tenancy: Tenancy): WatchKey => `checks/${spaceOf(tenancy)}`,
  checksOfNode: (partition: string, name: string): WatchKey => key('checks-of-node', partition, name),
  checksOfService: (tenancy: Tenancy, name: string): WatchKey =>
    key('checks-of-service', spaceOf(tenancy), name)
} as const
