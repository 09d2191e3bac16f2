// A complete server in this process on a port of its own, with real HTTP, actors and read models, and a log that the test chooses.
import { Clock, ClockWatch, Deadlines } from '../../actors/clock.js'
import { startServer } from '../../server/running-server.js'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DependencyContainer } from 'tsyringe'
import { Committer } from '../../actors/committer.js'
import { Logins } from '../../actors/login/logins.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import type { ProvableLog } from '../../events/log/provable-log.js'
import { LogLines } from '../../server/telemetry/logging/lines.js'
import { Metrics } from '../../server/telemetry/metrics/metrics.js'
import { AgentTokens } from '../../server/settings/agent-tokens.js'
import { EVENT_LOG, LOGGER } from '../../server/settings/ports.js'
import { Reload } from '../../server/settings/reload.js'
import type { Capability } from '../../server/component.js'
import { EventStreams } from '../../http/stream/event-streams.js'
import { Views } from '../../projections/read-models.js'
import { openLog } from '../../server/open-log.js'
import { loadSettings } from '../../server/settings/load.js'
import { type Settings, LiveSettings } from '../../server/settings/settings.js'
import { send, type TestResponse, type TestRequestOptions } from './client.js'
import { temporaryFolder, type Scope } from './process.js'
import type { SetClock } from '../../library/testing/set-clock.js'
import { UnsuspendedClock } from './unsuspended-clock.js'

/** Secret of the initial management token. */
export const ROOT = 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55'

/** A busy disk fails no test. */
export const DISK_TIMEOUT_MS = 600_000

interface Opened {
  readonly log: ProvableLog
  readonly workers?: Capability
}

export interface TestServerOptions {
  /** Top-level configuration keys, which replace the helper's own. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Changes the settings beyond what a configuration can express. */
  readonly adjust?: (settings: Settings) => Settings
  /** Data folder with a log on disk, existing or not; default: a new one that ends with the scope. */
  readonly dataDir?: string
  /** Default: `disk` with a data folder, otherwise `memory`. */
  readonly log?: ProvableLog | 'disk' | 'memory'
  /** Opens the log in another way, optionally with workers. */
  readonly open?: (settings: Settings) => Promise<Opened>
  /** Default: a running clock. */
  readonly clock?: SetClock
  /** Registers replacements in the server's container. */
  readonly register?: (container: DependencyContainer) => void
}

export interface TestServer {
  /** `http://127.0.0.1:PORT`. */
  readonly base: string
  /** HTTP port; 0 if disabled. */
  readonly port: number
  /** HTTPS port; undefined if disabled, which is the default. */
  readonly httpsPort: number | undefined
  /** DNS port; undefined if disabled, which is the default. */
  readonly dnsPort: number | undefined
  /** Internal services for tests. */
  readonly app: ReturnType<typeof partsOf>
  /** The initial settings. */
  readonly settings: Settings
  /** The configuration file. */
  readonly file: string
  /** Runs in real time, unless it is advanced. */
  readonly clock: SetClock
  readonly scope: DependencyContainer
  /** Sends a request with the management token, unless `token` is given; `undefined` for none. */
  send(method: string, path: string, sending?: TestRequestOptions): Promise<TestResponse>
  /** Advances the clock, and waits until everything due is done. */
  advance(ms: number): void
  /** Moves the wall clock forward or back, which the server notices. */
  setClockBy(ms: number): void
  /** Shuts down like SIGTERM; at the latest at the end of the scope. */
  close(): Promise<void>
}

/** Returns the settings of a server that listens on free ports and does not log. */
export const testSettings = (scope: Scope, options: TestServerOptions = {}): Settings =>
  loadSettings({ file: configFile(scope, options), env: {}, flags: {} })

/** Returns the configuration of such a server. */
const configFile = (scope: Scope, { config = {}, dataDir }: TestServerOptions): string => {
  const folder = temporaryFolder(scope)
  const file = join(folder, 'config.json')
  writeFileSync(
    file,
    JSON.stringify({
      node_name: 'server-1',
      data_dir: dataDir ?? join(folder, 'data'),
      bind: '127.0.0.1',
      ports: { http: 0, dns: -1 },
      log: { level: 'silent' },
      acl: { enabled: true, default_policy: 'deny', tokens: { initial_management: ROOT } },
      ...config
    })
  )
  return file
}

const partsOf = (scope: DependencyContainer) => ({
  views: scope.resolve(Views),
  committer: scope.resolve(Committer),
  log: scope.resolve(EVENT_LOG),
  logger: scope.resolve(LOGGER),
  logLines: scope.resolve(LogLines),
  metrics: scope.resolve(Metrics),
  streams: scope.resolve(EventStreams),
  logins: scope.resolve(Logins),
  reload: scope.resolve(Reload),
  agentTokens: scope.resolve(AgentTokens),
  live: scope.resolve(LiveSettings)
})

const openFor = async (settings: Settings, options: TestServerOptions): Promise<Opened> => {
  if (options.open) return options.open(settings)
  const { log = options.dataDir === undefined ? 'memory' : 'disk' } = options
  if (log === 'memory') return { log: new MemoryEventLog() }
  return { log: log === 'disk' ? await openLog(settings, { patience: DISK_TIMEOUT_MS }) : log }
}

/** Starts a server. It ends with the scope. */
export const serverInProcess = async (t: Scope, options: TestServerOptions = {}): Promise<TestServer> => {
  const file = configFile(t, options)
  const { adjust = given => given } = options
  const live = new LiveSettings(() => adjust(loadSettings({ file, env: {}, flags: {} })))
  const settings = live.current
  const clock = options.clock ?? new UnsuspendedClock(t)
  const { log, workers } = await openFor(settings, options)
  const equip = (container: DependencyContainer): void => {
    container.registerInstance<Clock>(Clock, clock)
    options.register?.(container)
  }
  const running = await startServer(live, log, equip, workers)
  const { scope } = running
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => (closing ??= running.close())
  t.teardown(close)
  const { port = 0, httpsPort } = running
  const base = `http://127.0.0.1:${port}`
  return {
    base,
    port,
    httpsPort,
    dnsPort: running.dnsPort,
    app: partsOf(scope),
    settings,
    file,
    clock,
    scope,
    send: (method, path, sending = {}) => send(base, method, path, { token: ROOT, ...sending }),
    advance: ms => {
      clock.advance(ms)
      scope.resolve(Deadlines).look()
    },
    setClockBy: ms => {
      clock.setBy(ms)
      scope.resolve(ClockWatch).look()
    },
    close
  }
}
