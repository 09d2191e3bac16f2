import type { QueryService } from '../../events/prepared-query.js'
import type { Authorizer } from '../acl/authorizer.js'
import { BytePieces } from '../byte-pieces.js'
import type { Candidates } from './candidates.js'
import type { FoundQuery, Origin } from './query-row.js'
import type { Instance } from './instance.js'
import { limited, nearFirst, shuffle, type Near } from './order.js'

export interface Executed extends Origin {
  readonly instances: readonly Instance[]
}

interface LocalExecution {
  readonly candidates: Candidates
  readonly authorizer: Authorizer
  /** Numbers from 0 to below 1. */
  readonly random: () => number
  readonly near: Near | undefined
  readonly limit: number
  readonly connect: boolean
}

export interface Execution extends LocalExecution {
  readonly datacenter: string
  readonly datacenters: Datacenters
  readonly secret: string | undefined
}

const inOrder = (
  instances: readonly Instance[],
  { random, near, limit }: LocalExecution
): readonly Instance[] => {
  if (near) return limited(nearFirst(shuffle([...instances], random), near), limit)
  return limited(shuffle([...instances], random, limit > 0 ? limit : undefined), limit)
}

/** The instances of this datacenter, in the order of the response. */
export const executeLocally = (found: FoundQuery, execution: LocalExecution): readonly Instance[] => {
  const { candidates, authorizer, connect } = execution
  const here = candidates.of(found, connect, authorizer)
  return here.length === 0 ? here : inOrder(here, execution)
}

/** Executes a rendered query (spec: queries.md §6). Returns synchronously, unless the query fails over to other datacenters. */
export const execute = (found: FoundQuery, execution: Execution): Executed | Promise<Executed> => {
  const { datacenter, datacenters, connect, limit, secret } = execution
  const { service } = found
  const instances = executeLocally(found, execution)
  if (instances.length > 0) return { instances, datacenter, failovers: 0 }
  const order = failoverOrder(service, datacenters.nearest())
  if (order.length === 0) return { instances: [], datacenter, failovers: 0 }
  return failOver(order, datacenters, { service, connect, limit, secret }).then(away => ({
    instances: away.instances,
    datacenter: away.datacenter ?? datacenter,
    failovers: away.failovers
  }))
}

const COMMA = Buffer.from(',')
const END = Buffer.from(']')

/** The response as JSON (spec: queries.md §6.2, decisions.md 7). */
export const executedJson = (
  found: FoundQuery,
  { instances, datacenter, failovers }: Executed
): BytePieces => {
  const tail = found.tail({ datacenter, failovers })
  const pieces = [found.head]
  for (const instance of instances) {
    if (pieces.length > 1) pieces.push(COMMA)
    pieces.push(instance.json, tail)
  }
  pieces.push(END, tail)
  return new BytePieces(pieces)
}

// The failover of a query to other datacenters (spec: queries.md §6.4).

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
