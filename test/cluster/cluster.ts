// A whole cluster: machines, etcd and servers of Annals, and what tests do with all of them.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Scope } from '../support/process.js'
import { until } from '../support/wait.js'
import { annalsServer, type AnnalsServer, type ServerPlan } from './annals-server.js'
import { startEtcd, type Etcd, type EtcdOptions } from './etcd-member.js'
import { startGrpcProxy, type GrpcProxy } from './grpc-proxy.js'
import { loopbackMachines } from './machines/loopback.js'
import { namespaceNetwork } from './machines/namespaces.js'
import type { Machine, Network } from './machines/machine.js'
import { assertSound } from './oracle.js'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js'
import type { Write } from './workload.js'

export interface ClusterOptions {
  /** Servers of Annals; three when absent. */
  readonly servers?: number
  /** Members of etcd; three when absent. */
  readonly members?: number
  /** Whether servers run on other machines than the members of etcd. */
  readonly apart?: boolean
  /** False on one machine: servers reach etcd and each other without gates. */
  readonly gates?: boolean
  /** Further keys of `cluster` in the configurations. */
  readonly cluster?: Readonly<Record<string, unknown>>
  /** Further top-level keys of the configurations. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly etcd?: EtcdOptions
  /** What differs from one server to the other. */
  readonly plan?: (at: number) => Partial<ServerPlan>
}

export interface Cluster {
  readonly etcd: Etcd
  readonly servers: readonly AnnalsServer[]
  /** Where each server reaches etcd, if it does so by a gate: always on one machine, never on several. */
  readonly gates: readonly GrpcProxy[]
  /** Where others reach each server, on one machine. */
  readonly doors: readonly TcpProxy[]
  /** What tests send to: all servers. */
  readonly bases: () => readonly string[]
  /** Prepares a further server. */
  add(name: string, machine: Machine, plan?: Partial<ServerPlan>): Promise<AnnalsServer>
  /** Resolves with the server that leads, and of which the others say so too. */
  leader(among?: readonly AnnalsServer[]): Promise<AnnalsServer>
  /** Writes a key, and resolves when all these servers have it; all that run when absent. */
  settled(among?: readonly AnnalsServer[]): Promise<void>
  /**
   * Waits until all servers have all, stops them, and compares their logs and states with each other and with the responses of
   * clients. @throws Violation
   */
  sound(writes: readonly Write[], among?: readonly AnnalsServer[]): Promise<void>
}

/** What a server says of its contact with the others. */
interface Contact {
  readonly status: number
  /** Whether it says that somebody leads. */
  readonly knowsLeader: boolean
  /** For how long it has had no proof that it shows the newest, in ms. */
  readonly lastContact: number
}

/** What a `stale` read of a server says of its contact with the others. */
export const contactOf = async (server: AnnalsServer): Promise<Contact> => {
  const { status, headers } = await server.send('GET', '/v1/kv/?keys&stale')
  return {
    status,
    knowsLeader: headers['x-service-knownleader'] === 'true',
    lastContact: Number(headers['x-service-lastcontact'])
  }
}

/** How long a test waits for one answer in a loop, in ms. */
const LOOK = 2000
/** What takes seconds is not looked for all the time, in ms. */
const BETWEEN_LOOKS = 100
/** How long it waits for a write, which a server may hold. */
const PATIENCE = 10_000

/** Whether a server says of itself that it leads. */
export const leads = async (server: AnnalsServer): Promise<boolean> => {
  if (server.ended() !== undefined) return false
  const answer = await server
    .send('GET', '/v1/operator/raft/configuration', { timeout: LOOK })
    .catch(() => undefined)
  if (answer?.status !== 200) return false
  const { Servers }: { readonly Servers: readonly { readonly Node: string; readonly Leader: boolean }[] } =
    JSON.parse(answer.text)
  return Servers.some(({ Node, Leader }) => Leader && Node === server.name)
}

/** The newest commit that a server itself has in its read models; one that catches up has others answer its reads. */
const indexOf = async (server: AnnalsServer): Promise<number> => {
  const answer = await server.send('GET', '/v1/agent/self', { timeout: LOOK }).catch(() => undefined)
  if (answer?.status !== 200) return -1
  const { Stats }: { readonly Stats: { readonly raft: { readonly applied_index: string } } } = JSON.parse(
    answer.text
  )
  return Number(Stats.raft.applied_index)
}

const clusterOf = (
  etcd: Etcd,
  servers: AnnalsServer[],
  rest: Pick<Cluster, 'gates' | 'doors' | 'add'>
): Cluster => {
  const alive = (): readonly AnnalsServer[] => servers.filter(server => server.ended() === undefined)
  const settled = async (among = alive()): Promise<void> => {
    const newest = await until('a last key is written', async () => {
      for (const server of among) {
        const path = `/v1/kv/settled/${randomUUID()}`
        const written = await server
          .send('PUT', path, { body: 'x', timeout: PATIENCE })
          .catch(() => undefined)
        if (written?.status === 200) return Number(written.headers['x-service-index'])
      }
      return undefined
    })
    await until('all servers have the last key', async () => {
      const indexes = await Promise.all(among.map(indexOf))
      return indexes.every(index => index >= newest)
    })
  }
  return {
    etcd,
    servers,
    ...rest,
    bases: () => servers.map(({ base }) => base),
    leader: (among = servers) =>
      until('a server leads', async () => {
        for (const server of among) if (await leads(server)) return server
        await pause(BETWEEN_LOOKS)
        return undefined
      }),
    settled,
    sound: async (writes, among = alive()) => {
      for (const server of among) await server.ready()
      await settled(among)
      await Promise.all(among.map(server => server.stop()))
      await assertSound(among, writes)
    }
  }
}

/** A cluster on this machine, with gates in place of a network that can be broken. */
export const loopbackCluster = async (scope: Scope, options: ClusterOptions = {}): Promise<Cluster> => {
  const { servers: count = 3, members = 3, gates: withGates = true, plan = () => ({}) } = options
  const etcd = await startEtcd(scope, loopbackMachines(members), options.etcd)
  const gates: GrpcProxy[] = []
  const doors: TcpProxy[] = []
  const servers: AnnalsServer[] = []
  const add = async (
    name: string,
    machine: Machine,
    extra: Partial<ServerPlan> = {}
  ): Promise<AnnalsServer> => {
    const port = await machine.freePort()
    const urls = etcd.members.map(({ url }) => url)
    const gate = withGates ? await startGrpcProxy(scope, machine.hostAddress, urls) : undefined
    const door = withGates ? await startTcpProxy(scope, port) : undefined
    if (gate) gates.push(gate)
    if (door) doors.push(door)
    const server = await annalsServer(scope, {
      machine,
      name,
      port,
      ...(options.config === undefined ? {} : { config: options.config }),
      ...extra,
      cluster: {
        etcd: { endpoints: gate?.urls ?? urls },
        advertise: `http://${machine.address}:${door?.port ?? port}`,
        ...options.cluster,
        ...extra.cluster
      }
    })
    servers.push(server)
    return server
  }
  for (const [at, machine] of loopbackMachines(count).entries())
    await add(`server-${at + 1}`, machine, plan(at))
  return clusterOf(etcd, servers, { gates, doors, add })
}

/** A cluster whose servers run on machines of their own, each with a member of etcd while there are some. */
export const networkCluster = async (
  scope: Scope,
  options: ClusterOptions = {}
): Promise<Cluster & { readonly network: Network }> => {
  const { servers: count = 3, members = 3, apart = false, plan = () => ({}) } = options
  const network = namespaceNetwork(scope, apart ? count + members : Math.max(count, members))
  const { machines } = network
  const etcd = await startEtcd(scope, machines.slice(0, members), options.etcd)
  const servers: AnnalsServer[] = []
  const add = async (
    name: string,
    machine: Machine,
    extra: Partial<ServerPlan> = {}
  ): Promise<AnnalsServer> => {
    const own = etcd.members.filter(member => member.machine === machine)
    const others = etcd.members.filter(member => member.machine !== machine)
    const server = await annalsServer(scope, {
      machine,
      name,
      ...(options.config === undefined ? {} : { config: options.config }),
      ...extra,
      cluster: {
        etcd: { endpoints: [...own, ...others].map(({ url }) => url) },
        ...options.cluster,
        ...extra.cluster
      }
    })
    servers.push(server)
    return server
  }
  const begin = apart ? members : 0
  for (const [at, machine] of machines.slice(begin, begin + count).entries())
    await add(`server-${at + 1}`, machine, plan(at))
  return { network, ...clusterOf(etcd, servers, { gates: [], doors: [], add }) }
}

/** Starts all servers, the first one alone until it leads. */
export const startServers = async (cluster: Cluster): Promise<void> => {
  const { servers } = cluster
  const [first, ...others] = servers
  first?.start()
  await cluster.leader()
  for (const server of others) server.start()
  for (const server of servers) await server.ready()
}
