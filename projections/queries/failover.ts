// Which other datacenters a query tries, and how they are counted (spec: queries.md §6.4).
import type { QueryService } from '../../events/prepared-query.js'
import type { Instance } from './instance.js'

/** What another datacenter is asked: the query as rendered here, without its own failover and near. */
export interface RemoteRun {
  readonly service: QueryService
  readonly connect: boolean
  readonly limit: number
  /** Token of the query, else of the caller; undefined for none. */
  readonly secret: string | undefined
}

/** The other datacenters as queries see them. */
export interface Datacenters {
  /** Their names by median round-trip time; unknown times last, by name. The local one is not in it. */
  nearest(): readonly string[]
  /** The instances there, in the order of the answer. Rejects when the datacenter cannot be reached. */
  run(datacenter: string, what: RemoteRun): Promise<readonly Instance[]>
}

/** For a server that knows of no other datacenter. */
export const noDatacenters: Datacenters = {
  nearest: () => [],
  run: datacenter => Promise.reject(new Error(`No path to datacenter: "${datacenter}" is not known`))
}

/** The datacenters to try, in order, each at most once. */
export const failoverOrder = ({ Failover }: QueryService, nearest: readonly string[]): readonly string[] => {
  const known = new Set(nearest)
  const listed = (Failover.Datacenters ?? []).filter(name => known.has(name))
  return [...new Set([...nearest.slice(0, Failover.NearestN), ...listed])]
}

interface FailedOver {
  readonly instances: readonly Instance[]
  /** The last one that answered; undefined when none did. */
  readonly datacenter: string | undefined
  /** Number of datacenters asked, whether they answered or not. */
  readonly failovers: number
}

/** Asks one datacenter after the other until one has instances. An unreachable one only costs the attempt. */
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
