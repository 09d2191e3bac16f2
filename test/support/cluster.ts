// Servers of one cluster in this process: real HTTP, actors and logs on disk, with a shared log in memory and one clock.
import type { ExecutionContext } from 'ava'
import { join } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { instanceCachingFactory, type DependencyContainer } from 'tsyringe'
import { Clock, Deadlines, Timers } from '../../actors/clock.js'
import { OutgoingTls } from '../../actors/outgoing/destinations.js'
import type { SetClock } from '../../library/testing/set-clock.js'
import { CLUSTER, type ClusterRole } from '../../server/cluster/members/cluster-port.js'
import { LeaderConnections } from '../../server/cluster/members/signed-requests.js'
import type { RequestAttempt, OutgoingRequest } from '../../server/cluster/transport/server-connections.js'
import { ClusterCertificates } from '../../http/wire/tls/cluster-certificates.js'
import { startClusteredServer, type ClusteredOptions } from '../../server/cluster/members/clustered-server.js'
import type { RunningServer } from '../../server/running-server.js'
import { type Settings, LiveSettings } from '../../server/settings/settings.js'
import { Views } from '../../projections/read-models.js'
import { send, type TestResponse, type TestRequestOptions } from './client.js'
import { MemorySharedLog } from './memory-shared-log.js'
import { temporaryFolder } from './process.js'
import { ROOT, testSettings } from './server.js'
import { SharedMemory } from './shared-memory.js'
import { UnsuspendedClock } from './unsuspended-clock.js'
import { until } from './wait.js'

/** Turns of the event loop without work, after which the servers of this thread wait for their clock. */
const IDLE_TURNS = 5
const KEY = Buffer.alloc(32, 7).toString('base64')

export interface ClusterServer {
  readonly name: string
  readonly settings: Settings
  readonly running: RunningServer
  /** Its access to the shared log. */
  readonly shared: MemorySharedLog
  readonly role: () => ClusterRole
  /** Index of the newest commit in its read models. */
  readonly index: () => number
  /** Sends it a request with the management token. */
  readonly send: (method: string, path: string, sending?: TestRequestOptions) => Promise<TestResponse>
  readonly close: () => Promise<void>
}

/** Connections that a test can cut, by their destination. */
class CuttableConnections extends LeaderConnections {
  constructor(
    tls: OutgoingTls,
    timers: Timers,
    certificates: ClusterCertificates,
    private readonly leadsTo: (address: string) => boolean,
    private readonly inFlight: Set<Promise<RequestAttempt>>
  ) {
    super(tls, timers, certificates)
  }

  override async send(to: string, outgoing: OutgoingRequest, signal: AbortSignal): Promise<RequestAttempt> {
    if (!this.leadsTo(to)) return { kind: 'not-sent' }
    const attempt = super.send(to, outgoing, signal)
    this.inFlight.add(attempt)
    const forget = (): boolean => this.inFlight.delete(attempt)
    attempt.then(forget, forget)
    return attempt
  }
}

/** A clock with an offset. */
class AheadClock extends Clock {
  constructor(
    private readonly clock: Clock,
    private readonly ahead: () => number
  ) {
    super()
  }

  override now(): number {
    return this.clock.now() + this.ahead()
  }

  override elapsed(): number {
    return this.clock.elapsed()
  }
}

const without = (own: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(own).filter(([name]) => name !== key))

export class TestCluster {
  readonly clock: SetClock
  readonly memory = new SharedMemory({ elapsed: () => this.clock.elapsed() })
  readonly #folder: string
  readonly #servers = new Map<string, ClusterServer>()
  /** Clock offsets in ms by server name; to be set before their start. */
  readonly clocksAhead = new Map<string, number>()
  /** Decides whether requests between two servers arrive; default: all do. */
  reaches: (from: string, to: string) => boolean = () => true
  readonly #inFlight = new Set<Promise<RequestAttempt>>()

  /**
   * @param settings further `cluster` settings of all servers
   * @param more further configuration keys of all servers
   */
  constructor(
    private readonly t: ExecutionContext,
    private readonly settings: Readonly<Record<string, unknown>> = {},
    private readonly more: Readonly<Record<string, unknown>> = {}
  ) {
    this.clock = new UnsuspendedClock(t)
    this.#folder = temporaryFolder(t)
  }

  /** Starts a server, with its previous data if any. It ends with the test. @param workers creates its workers @param own its configuration keys */
  async start(
    name: string,
    workers?: (settings: Settings) => NonNullable<ClusteredOptions['workers']>,
    own: Readonly<Record<string, unknown>> = {}
  ): Promise<ClusterServer> {
    const settings = testSettings(this.t, {
      dataDir: join(this.#folder, name),
      config: {
        node_name: name,
        encryption: { key: KEY },
        cluster: {
          enabled: true,
          etcd: { endpoints: ['http://127.0.0.1:1'] },
          secret: KEY,
          ...this.settings,
          ...Object(own['cluster'])
        },
        ...this.more,
        ...without(own, 'cluster')
      }
    })
    const shared = new MemorySharedLog(this.memory)
    const running = await startClusteredServer(new LiveSettings(() => settings), {
      report: () => {},
      shared,
      ...(workers && { workers: workers(settings) }),
      override: scope => {
        scope.registerInstance<Clock>(
          Clock,
          new AheadClock(this.clock, () => this.clocksAhead.get(name) ?? 0)
        )
        const connections = (made: DependencyContainer): LeaderConnections =>
          new CuttableConnections(
            made.resolve(OutgoingTls),
            made.resolve(Timers),
            made.resolve(ClusterCertificates),
            to => this.reaches(name, this.#at(to)),
            this.#inFlight
          )
        scope.register(LeaderConnections, { useFactory: instanceCachingFactory(connections) })
      }
    })
    const { port = 0, scope } = running
    let closing: Promise<void> | undefined
    const close = (): Promise<void> => {
      this.#servers.delete(name)
      return (closing ??= running.close())
    }
    this.t.teardown(close)
    const server: ClusterServer = {
      name,
      settings,
      running,
      shared,
      role: () => scope.resolve(CLUSTER).role(),
      index: () => scope.resolve(Views).index,
      send: (method, path, sending = {}) =>
        send(`http://127.0.0.1:${port}`, method, path, { token: ROOT, ...sending }),
      close
    }
    this.#servers.set(name, server)
    return server
  }

  /** Returns the name of the server with an address. */
  #at(address: string): string {
    const { port } = new URL(address)
    return [...this.#servers.values()].find(({ running }) => String(running.port) === port)?.name ?? ''
  }

  /** Starts servers of these names, of which the first leads. */
  async startAll(...names: readonly string[]): Promise<readonly ClusterServer[]> {
    const servers: ClusterServer[] = []
    for (const name of names) {
      const server = await this.start(name)
      servers.push(server)
      const role = servers.length === 1 ? 'leading' : 'following'
      await this.until(`${name} is ${role}`, () => server.role() === role)
    }
    return servers
  }

  /** Advances the clock, and waits until everything due is done. */
  advance(ms: number): void {
    this.clock.advance(ms)
    this.memory.pass()
    for (const { running } of this.#servers.values()) running.scope.resolve(Deadlines).look()
  }

  /** Waits for due deadlines, requests between the servers, and the files that this thread reads and writes. */
  async idle(): Promise<void> {
    const isWorking = (): boolean =>
      this.#inFlight.size > 0 || process.getActiveResourcesInfo().some(name => name.startsWith('FSReq'))
    // Node fires timers in the order of their ends: those of due deadlines end a millisecond after `advance`.
    await setTimeout(2)
    for (let quiet = 0; quiet < IDLE_TURNS; quiet = isWorking() ? 0 : quiet + 1) {
      await Promise.allSettled(this.#inFlight)
      await setImmediate()
    }
  }

  /** Advances the clock in steps until the result is neither undefined nor false. */
  until<T>(
    what: string,
    ask: () => Promise<T | undefined | false> | T | undefined | false,
    step = 100
  ): Promise<T> {
    return until(what, () => {
      this.advance(step)
      return ask()
    })
  }

  /** Waits for a leader. */
  leader(): Promise<ClusterServer> {
    return this.until('one leads', () =>
      [...this.#servers.values()].find(server => server.role() === 'leading')
    )
  }

  /** Resolves when all servers have the same commits. */
  async settled(): Promise<void> {
    await this.until('all have everything', () => {
      const indexes = [...this.#servers.values()].map(server => server.index())
      return new Set(indexes).size === 1 && indexes[0] === this.memory.head.index
    })
  }
}
