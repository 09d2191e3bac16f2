// Servers of one cluster in this process: real HTTP, actors and logs on disk, over what they share in memory, by one clock.
import type { ExecutionContext } from 'ava'
import { join } from 'node:path'
import { Clock } from '../../actors/clock.js'
import { Deadlines } from '../../actors/deadlines.js'
import { SetClock } from '../../library/testing/set-clock.js'
import { CLUSTER, type ClusterRole } from '../../http/cluster/cluster-port.js'
import { startClusteredServer, type ClusteredOptions } from '../../http/clustered-server.js'
import type { RunningServer } from '../../http/running-server.js'
import type { Settings } from '../../http/settings/settings.js'
import { LiveSettings } from '../../http/settings/live-settings.js'
import { Views } from '../../projections/views.js'
import { send, type Answer, type Sending } from './client.js'
import { MemorySharedLog } from './memory-shared-log.js'
import { temporaryFolder } from './process.js'
import { ROOT, testSettings } from './server.js'
import { SharedMemory } from './shared-memory.js'
import { until } from './wait.js'

const KEY = Buffer.alloc(32, 7).toString('base64')

export interface ClusterServer {
  readonly name: string
  readonly settings: Settings
  readonly running: RunningServer
  /** Its way to what is shared. */
  readonly shared: MemorySharedLog
  readonly role: () => ClusterRole
  /** Index of the newest commit that it shows. */
  readonly index: () => number
  /** Sends it a request with the management token. */
  readonly send: (method: string, path: string, sending?: Sending) => Promise<Answer>
  readonly close: () => Promise<void>
}

export class TestCluster {
  readonly clock = new SetClock()
  readonly memory = new SharedMemory({ elapsed: () => this.clock.elapsed() })
  readonly #t: ExecutionContext
  readonly #folder: string
  readonly #settings: Readonly<Record<string, unknown>>
  readonly #more: Readonly<Record<string, unknown>>
  readonly #servers = new Map<string, ClusterServer>()

  /**
   * @param settings of `cluster`, of all servers, besides what they need
   * @param more other keys of the configuration of all servers
   */
  constructor(
    t: ExecutionContext,
    settings: Readonly<Record<string, unknown>> = {},
    more: Readonly<Record<string, unknown>> = {}
  ) {
    this.#t = t
    this.#folder = temporaryFolder(t)
    this.#settings = settings
    this.#more = more
  }

  /** Starts a server, with what it had before if it had something. It ends with the test. @param beside makes what goes with it */
  async start(
    name: string,
    beside?: (settings: Settings) => NonNullable<ClusteredOptions['beside']>
  ): Promise<ClusterServer> {
    const settings = testSettings(this.#t, {
      dataDir: join(this.#folder, name),
      config: {
        node_name: name,
        encryption: { key: KEY },
        cluster: {
          enabled: true,
          etcd: { endpoints: ['http://127.0.0.1:1'] },
          secret: KEY,
          ...this.#settings
        },
        ...this.#more
      }
    })
    const shared = new MemorySharedLog(this.memory)
    const running = await startClusteredServer(new LiveSettings(() => settings), {
      report: () => {},
      shared,
      ...(beside && { beside: beside(settings) }),
      override: scope => scope.registerInstance<Clock>(Clock, this.clock)
    })
    const { port = 0, scope } = running
    let closing: Promise<void> | undefined
    const close = (): Promise<void> => {
      this.#servers.delete(name)
      return (closing ??= running.close())
    }
    this.#t.teardown(close)
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

  /** Servers of these names, of which the first leads. */
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

  /** Lets time pass, and has everything that is then due done. */
  advance(ms: number): void {
    this.clock.advance(ms)
    this.memory.pass()
    for (const { running } of this.#servers.values()) running.scope.resolve(Deadlines).look()
  }

  /** Lets time pass, a little at a time, until the answer is neither undefined nor false. */
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

  /** The server that leads, once there is one. */
  leader(): Promise<ClusterServer> {
    return this.until('one leads', () =>
      [...this.#servers.values()].find(server => server.role() === 'leading')
    )
  }

  /** Resolves when all servers show the same commits. */
  async settled(): Promise<void> {
    await this.until('all have everything', () => {
      const indexes = [...this.#servers.values()].map(server => server.index())
      return new Set(indexes).size === 1 && indexes[0] === this.memory.head.index
    })
  }
}
