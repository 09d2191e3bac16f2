// Several datacenters, each with servers of Annals as processes, and the links between them.
import { annalsServer, type AnnalsServer } from '../cluster/annals-server.js'
import { loopbackCluster, startServers, type Cluster } from '../cluster/cluster.js'
import { loopbackMachines } from '../cluster/machines/loopback.js'
import { namespaceNetwork } from '../cluster/machines/namespaces.js'
import type { Machine } from '../cluster/machines/machine.js'
import type { Scope } from '../support/process.js'
import { ROOT } from '../support/server.js'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js'
import { until } from '../support/wait.js'

/** Seals what is replicated, in all of them. */
const REPLICATION_KEY = Buffer.alloc(32, 5).toString('base64')

export interface Datacenter {
  readonly name: string
  /** Its only server, or the first one of its cluster. */
  readonly server: AnnalsServer
  readonly servers: readonly AnnalsServer[]
  /** Where it is a cluster. */
  readonly cluster: Cluster | undefined
}

export interface DatacentersOptions {
  /** Those that are a cluster of three servers over etcd; on one machine only. */
  readonly clusters?: readonly string[]
  /** Further top-level keys of the configuration of each server of a datacenter. */
  readonly config?: (name: string) => Readonly<Record<string, unknown>>
  /** Further keys of what one datacenter's settings say of another one, in place of the token of the primary. */
  readonly remote?: (from: string, to: string) => Readonly<Record<string, unknown>>
  /** The environment of the servers of a datacenter. */
  readonly env?: (name: string) => Readonly<Record<string, string>>
}

export interface Datacenters {
  /** The primary one first. */
  readonly all: readonly Datacenter[]
  /** @throws Error when there is none of this name */
  readonly at: (name: string) => Datacenter
  /** Nothing that it sends to the others arrives, and nothing reaches it. Connections stay open. */
  readonly cutOff: (name: string) => void
  /** Undoes `cutOff`. */
  readonly reconnect: (name: string) => void
}

/** Links that can be slow. */
export interface SlowDatacenters extends Datacenters {
  /** From now on what is sent between two datacenters is so many ms on its way, there and back together. */
  readonly roundTrip: (one: string, other: string, ms: number) => void
}

/** The first one is the primary. */
export const NAMES: readonly string[] = ['dc1', 'dc2', 'dc3']
export const PRIMARY = 'dc1'

const configOf = (
  name: string,
  urlsOf: (to: string) => readonly string[],
  { config = () => ({}), remote = () => ({}) }: DatacentersOptions
): Readonly<Record<string, unknown>> => {
  const others = NAMES.filter(to => to !== name).map(to => {
    const token = to === PRIMARY ? { token: ROOT } : {}
    return [to, { urls: urlsOf(to), ...token, ...remote(name, to) }]
  })
  return {
    datacenter: name,
    primary_datacenter: PRIMARY,
    datacenters: Object.fromEntries(others),
    replication: { key: REPLICATION_KEY },
    ...config(name)
  }
}

const find = (all: readonly Datacenter[], name: string): Datacenter => {
  const found = all.find(datacenter => datacenter.name === name)
  if (!found) throw new Error(`there is no datacenter ${name}`)
  return found
}

const alone = (name: string, server: AnnalsServer): Datacenter => ({
  name,
  server,
  servers: [server],
  cluster: undefined
})

/** Starts all servers, and resolves when each secondary has taken over what the primary has. */
export const startAll = async ({ all }: Datacenters): Promise<void> => {
  for (const { cluster, server } of all)
    if (cluster) await startServers(cluster)
    else {
      server.start()
      await server.ready()
    }
  for (const { name, server } of all)
    if (name !== PRIMARY) await until(`${name} replicates`, () => hasReplicated(server))
}

const hasReplicated = async (server: AnnalsServer): Promise<boolean> => {
  const { status, text } = await server.send('GET', '/v1/acl/replication')
  if (status !== 200) return false
  const { ReplicatedIndex }: { readonly ReplicatedIndex: number } = JSON.parse(text)
  return ReplicatedIndex > 0
}

/** Datacenters on this machine, with a gate on the way from each to each server of another one. They end with the scope. */
export const loopbackDatacenters = async (
  scope: Scope,
  options: DatacentersOptions = {}
): Promise<SlowDatacenters> => {
  const { clusters = [], env } = options
  const ports = new Map<string, readonly number[]>()
  const gates = new Map<string, readonly TcpProxy[]>()
  for (const from of NAMES)
    for (const to of NAMES) {
      if (from === to) continue
      const count = clusters.includes(to) ? 3 : 1
      const made = Array.from({ length: count }, (_, at) =>
        startTcpProxy(scope, () => ports.get(to)?.[at] ?? 0)
      )
      gates.set(`${from} ${to}`, await Promise.all(made))
    }
  const all: Datacenter[] = []
  for (const name of NAMES) {
    const urls = (to: string): readonly string[] =>
      (gates.get(`${name} ${to}`) ?? []).map(({ port }) => `http://127.0.0.1:${port}`)
    const config = configOf(name, urls, options)
    if (clusters.includes(name)) {
      const cluster = await loopbackCluster(scope, { config, gates: false })
      const [server] = cluster.servers
      if (server) all.push({ name, server, servers: cluster.servers, cluster })
    } else {
      const [machine] = loopbackMachines(1)
      if (!machine) throw new Error('there is no machine')
      const given = env === undefined ? {} : { env: env(name) }
      all.push(alone(name, await annalsServer(scope, { machine, name: `server-${name}`, config, ...given })))
    }
    ports.set(
      name,
      find(all, name).servers.map(({ port }) => port)
    )
  }
  const linksOf = (name: string): readonly TcpProxy[] =>
    [...gates].flatMap(([link, made]) => (link.split(' ').includes(name) ? made : []))
  return {
    all,
    at: name => find(all, name),
    cutOff: name => {
      for (const gate of linksOf(name)) gate.hold()
    },
    reconnect: name => {
      for (const gate of linksOf(name)) gate.pass()
    },
    roundTrip: (one, other, ms) => {
      for (const link of [`${one} ${other}`, `${other} ${one}`])
        for (const gate of gates.get(link) ?? []) gate.delay(ms / 2)
    }
  }
}

/** Datacenters of one server each, which have machines of their own. They end with the scope. */
export const networkDatacenters = async (
  scope: Scope,
  options: DatacentersOptions = {}
): Promise<Datacenters> => {
  const network = namespaceNetwork(scope, NAMES.length)
  const places = new Map<string, { readonly machine: Machine; readonly port: number }>()
  for (const [at, machine] of network.machines.entries())
    places.set(NAMES[at] ?? '', { machine, port: await machine.freePort() })
  const urls = (to: string): readonly string[] => {
    const place = places.get(to)
    return place ? [`http://${place.machine.address}:${place.port}`] : []
  }
  const all: Datacenter[] = []
  for (const [name, place] of places) {
    const given = options.env === undefined ? {} : { env: options.env(name) }
    const config = configOf(name, urls, options)
    all.push(alone(name, await annalsServer(scope, { ...place, name: `server-${name}`, config, ...given })))
  }
  const machineOf = (name: string): Machine => find(all, name).server.machine
  return {
    all,
    at: name => find(all, name),
    cutOff: name => network.cutOff(machineOf(name)),
    reconnect: name => network.reconnect(machineOf(name))
  }
}
