// Shared logs over a real etcd, and groups of commits to append to them.
import type { ExecutionContext } from 'ava'
import { NO_HASH } from '../../../events/codec.js'
import type {
  ClusterSeed,
  Member,
  Membership,
  SharedLog,
  Term
} from '../../../events/log/cluster/shared-log.js'
import type { EtcdUser } from '../../../events/log/etcd/credentials.js'
import { EtcdSharedLog } from '../../../events/log/etcd/etcd-shared-log.js'
import { systemTimers, type TimerPort } from '../../../events/log/etcd/timer-port.js'
import { RecordGroup } from '../../../events/log/record-group.js'
import type { StoredRecord } from '../../../events/log/record.js'
import { SecretsVault } from '../../../events/log/secrets.js'
import type { Head } from '../../../events/log/store.js'
import { startGrpcProxy } from '../../cluster/grpc-proxy.js'
import { startEtcd, type Etcd, type EtcdOptions } from '../../cluster/etcd-member.js'
import { loopbackMachines } from '../../cluster/machines/loopback.js'
import type { Scope } from '../../support/process.js'
import { missing } from '../../support/programs.js'
import { commitOf } from '../commits.js'

const vault = new SecretsVault()

export const EMPTY: Head = { index: 0, hash: NO_HASH }

export const CLUSTER_SEED: ClusterSeed = {
  cluster: 'cluster-1',
  log: { id: 'log-1', incarnation: 1 },
  keys: Buffer.from('keys'),
  signingKey: Buffer.from('signing key')
}

/** Etcd with one member, or more; undefined when the machine has none, and the test is over then. */
export const etcdFor = async (
  t: ExecutionContext,
  members = 1,
  options: EtcdOptions = {}
): Promise<Etcd | undefined> =>
  (await missing(t, 'etcd')) ? undefined : startEtcd(t, loopbackMachines(members), options)

export const urlsOf = ({ members }: Etcd): string[] => members.map(({ url }) => url)

/** A gate that stands before all members of etcd. */
export const gateTo = (t: ExecutionContext, etcd: Etcd): ReturnType<typeof startGrpcProxy> =>
  startGrpcProxy(t, '127.0.0.1', urlsOf(etcd))

interface LogOptions {
  readonly leaseTtl?: number
  readonly deadline?: number
  readonly time?: TimerPort
  readonly user?: EtcdUser
  /** Of the keys: another one is another cluster. */
  readonly prefix?: string
}

/** Longer than a busy machine ever pauses, in ms. */
export const LONG = 60_000

/** For a log whose calls lose their answers, in ms: those that do not are answered sooner also on a busy machine. */
export const LOST_CALL_TIMEOUT = 3000

/** A shared log, as one server has it. */
export const logAt = (
  scope: Scope,
  endpoints: readonly string[],
  { leaseTtl = LONG, deadline = LONG, time = systemTimers, user, prefix = '/annals' }: LogOptions = {}
): EtcdSharedLog => {
  const log = new EtcdSharedLog({ endpoints, prefix, leaseTtl, deadline, ...(user && { user }) }, time)
  scope.teardown(() => log.close())
  return log
}

export const memberOf = (id: string, flushed = 0): Member => ({
  id,
  name: `server-${id}`,
  address: `http://${id}:8500`,
  bind: id,
  meta: {},
  version: '1',
  at: 0,
  flushed,
  lastContact: 0
})

export interface Server<Log extends SharedLog = SharedLog> {
  readonly id: string
  readonly log: Log
  readonly membership: Membership
}

/** A server that takes part in the cluster, which is founded where it is not. */
export const serverOf = async <Log extends SharedLog>(log: Log, id: string): Promise<Server<Log>> => {
  await log.createCluster(CLUSTER_SEED, EMPTY)
  await log.read()
  const membership = await log.join()
  await membership.announce(memberOf(id))
  return { id, log, membership }
}

/** As `serverOf`, over etcd. */
export const serverAt = (
  scope: Scope,
  endpoints: readonly string[],
  id: string,
  options: LogOptions = {}
): Promise<Server<EtcdSharedLog>> => serverOf(logAt(scope, endpoints, options), id)

/** @throws Error when another server leads */
export const lead = async ({ id, membership }: Server): Promise<Term> => {
  const term = await membership.campaign(memberOf(id))
  if (!term) throw new Error(`${id} did not become the leader`)
  return term
}

/** So many commits behind a head. @param marker tells apart groups that begin alike @param size bytes of each */
export const groupAfter = (before: Head, count = 1, { marker = 'first', size = 20 } = {}): RecordGroup => {
  const group = new RecordGroup()
  const commits = Array.from({ length: count }, (_, at) => commitOf(before.index + 1 + at, { marker, size }))
  group.add(commits, before.hash, vault, false)
  return group
}

export const headOf = (group: RecordGroup): Head => ({ index: group.last, hash: Buffer.from(group.hash) })

/** Appends groups of these sizes, all stored. @returns the head */
export const appendAll = async (
  { log }: Server,
  term: Term,
  before: Head,
  counts: readonly number[],
  size = 20
): Promise<Head> => {
  let head = before
  for (const count of counts) {
    const group = groupAfter(head, count, { size })
    if ((await log.append(term, head, group)) !== 'stored') throw new Error(`${head.index + 1} was refuted`)
    head = headOf(group)
  }
  return head
}

/** The records from an index to another, as they arrive. @throws Error when they are gone */
export const collectArrivals = async (
  log: SharedLog,
  from: number,
  to: number
): Promise<readonly StoredRecord[]> => {
  const ended = new AbortController()
  const all: StoredRecord[] = []
  try {
    if (from <= to)
      for await (const arrival of log.follow(from, ended.signal)) {
        if (arrival.kind === 'gone') throw new Error(`gone below ${arrival.floor}`)
        all.push(...arrival.records)
        if (from + all.length > to) break
      }
  } finally {
    ended.abort()
  }
  return all
}

/** Indexes of records that continue each other from a head on. @throws Error where they do not */
export const chained = (records: readonly StoredRecord[], before: Head = EMPTY): readonly number[] => {
  let { hash } = before
  for (const record of records) {
    if (!record.before.equals(hash)) throw new Error(`commit ${record.index} does not continue the chain`)
    hash = record.hash
  }
  return records.map(({ index }) => index)
}

export const upTo = (last: number, from = 1): number[] =>
  Array.from({ length: last - from + 1 }, (_, at) => from + at)
