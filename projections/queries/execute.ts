import type { QueryService } from '../../events/prepared-query.js'
import type { Authorizer } from '../acl/authorizer.js'
import { BytePieces } from '../byte-pieces.js'
import { StepPace, type Steps } from '../steps.js'
import { type Candidates, limited, nearFirst, shuffle, type Near } from './candidates.js'
import { END, type FoundQuery, type Origin } from './query-row.js'
import type { Instance } from './instance.js'

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

function* inOrder(
  instances: readonly Instance[],
  { random, near, limit }: LocalExecution
): Steps<readonly Instance[]> {
  const shuffled = yield* shuffle([...instances], random, near || limit <= 0 ? undefined : limit)
  return limited(near ? yield* nearFirst(shuffled, near) : shuffled, limit)
}

export interface ExecutedLocally {
  /** The instances that the query selects and the authorizer shows: the same list until either changes. */
  readonly visible: readonly Instance[]
  /** In the order of the response, up to its limit. */
  readonly instances: readonly Instance[]
}

/** Returns the instances of this datacenter. */
export function* executeLocally(found: FoundQuery, execution: LocalExecution): Steps<ExecutedLocally> {
  const { candidates, authorizer, connect } = execution
  const visible = yield* candidates.of(found, connect, authorizer)
  return { visible, instances: visible.length < 2 ? visible : yield* inOrder(visible, execution) }
}

/**
 * Executes a rendered query (spec: queries.md §6). Returns a promise only if it fails over to other datacenters.
 * @param instances of this datacenter, as of `executeLocally`
 */
export const execute = (
  { service }: FoundQuery,
  { datacenter, datacenters, connect, limit, secret }: Execution,
  instances: readonly Instance[]
): Executed | Promise<Executed> => {
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

/** The response as JSON (spec: queries.md §6.2, decisions.md 7). */
export function* executedJson(
  found: FoundQuery,
  { instances, datacenter, failovers }: Executed
): Steps<BytePieces> {
  const pace = new StepPace()
  const tail = found.tail({ datacenter, failovers })
  const pieces = [found.head]
  let bytes = found.head.length + END.length + tail.length
  for (const { json } of instances) {
    if (pieces.length > 1) {
      pieces.push(COMMA)
      bytes += COMMA.length
    }
    pieces.push(json, tail)
    bytes += json.length + tail.length
    if (pace.isOver(json.length)) yield
  }
  pieces.push(END, tail)
  return new BytePieces(pieces, bytes)
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
