// The failover of a query to other datacenters (spec: queries.md §6.4).
import type { QueryService } from '../../events/prepared-query.js'
import type { Instance } from './instance.js'

/** The query as rendered here, without its own failover and near. */
export interface RemoteRun {
  readonly service: QueryService
  readonly connect: boolean
  readonly limit: number
  /** Token of the query, else of the caller; undefined for none. */
  readonly secret: string | undefined
}

export interface Datacenters {
  /** Names of other datacenters by median round-trip time; unknown times last, by name. */
  nearest(): readonly string[]
  /** The instances in the order of the response. Rejects if the datacenter is unreachable. */
  run(datacenter: string, what: RemoteRun): Promise<readonly Instance[]>
}

/** For a server without other datacenters. */
export const noDatacenters: Datacenters = {
  nearest: () => [],
  run: datacenter => Promise.reject(new Error(`No path to datacenter: "${datacenter}" is not known`))
}

export const failoverOrder = ({ Failover }: QueryService, nearest: readonly string[]): readonly string[] => {
  const known = new Set(nearest)
  const listed = (Failover.Datacenters ?? []).filter(name => known.has(name))
  return [...new Set([...nearest.slice(0, Failover.NearestN), ...listed])]
}

interface FailedOver {
  readonly instances: readonly Instance[]
  /** The last one that responded; undefined if none did. */
  readonly datacenter: string | undefined
  /** Number of attempts, successful or not. */
  readonly failovers: number
}

/** Tries the datacenters in order until one has instances. */
export const failOver = async (
  order: readonly string[],
  datacenters: Datacenters,
  what: RemoteRun
): Promise<FailedOver> => {
  let datacenter: string | undefined
  let failovers = 0
  for (const name of order) {
    failovers++
    const instances = await datacenters.run(name, what).catch(() => undefined)
    if (!instances) continue
    datacenter = name
    if (instances.length > 0) return { instances, datacenter, failovers }
  }
  return { instances: [], datacenter, failovers }
}
