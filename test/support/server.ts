// A whole server in this process, on a port of its own: the real HTTP, actors and read models over a log that the test
// chooses.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DependencyContainer } from 'tsyringe'
import { Committer } from '../../actors/committer.js'
import { Logins } from '../../actors/login/logins.js'
import type { ProvableLog } from '../../events/log/provable-log.js'
import { LogLines } from '../../server/telemetry/logging/lines.js'
import { Metrics } from '../../server/telemetry/metrics/metrics.js'
import { AgentTokens } from '../../server/settings/agent-tokens.js'
import { EVENT_LOG, LOGGER } from '../../server/settings/ports.js'
import { Reload } from '../../server/settings/reload.js'
import type { Companion } from '../../server/running-server.js'
import { EventStreams } from '../../http/stream/event-streams.js'
import { Views } from '../../projections/read-models.js'
import { openLog } from '../../server/compose.js'
import { loadSettings } from '../../server/settings/load.js'
import type { Settings } from '../../server/settings/settings.js'
import { LiveSettings } from '../../server/settings/live-settings.js'
import { startInProcess } from '../../library/testing/in-process.js'
import { send, type TestResponse, type TestRequestOptions } from './client.js'
import { temporaryFolder, type Scope } from './process.js'
import { SetClock } from '../../library/testing/set-clock.js'

/** Secret of the management token that every server of these tests has from its start. */
export const ROOT = 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55'

export interface TestServerOptions {
  /** Top-level keys of the configuration file, in place of the helper's own. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Changes the settings to what no configuration may say. */
  readonly adjust?: (settings: Settings) => Settings
  /** Data folder, existing or not; a new one that ends with the scope when absent. */
  readonly dataDir?: string
  /** The log; segments in the data folder when absent. */
  readonly log?: ProvableLog
  /** Opens the log in another way, with what goes with the server. */
  readonly open?: (
    settings: Settings
  ) => Promise<{ readonly log: ProvableLog; readonly companion: Companion }>
  /** One that runs when absent. */
  readonly clock?: SetClock
  /** Replaces further parts of the server's container. */
  readonly register?: (container: DependencyContainer) => void
}

export interface TestServer {
  /** `http://127.0.0.1:PORT`. */
  readonly base: string
  /** Port of HTTP; 0 when the configuration has it off. */
  readonly port: number
  /** Port of HTTP over TLS; undefined when the configuration has it off, as it is unless a test asks for it. */
  readonly httpsPort: number | undefined
  /** Port of DNS; undefined when the configuration has it off, as it is unless a test asks for it. */
  readonly dnsPort: number | undefined
  /** The parts of the server that tests look into. */
  readonly app: ReturnType<typeof partsOf>
  /** Those of the start. */
  readonly settings: Settings
  /** The configuration file. */
  readonly file: string
  /** Runs as the real one, unless it is moved. */
  readonly clock: SetClock
  readonly scope: DependencyContainer
  /** Sends a request with the management token, unless `token` is given; `undefined` for none. */
  send(method: string, path: string, sending?: TestRequestOptions): Promise<TestResponse>
  /** Lets time pass, and has everything that is then due done. */
  advance(ms: number): void
  /** Sets the clock of the machine forth or back, which the server notices. */
  setClockBy(ms: number): void
  /** Ends the server as SIGTERM does; done at the end of the scope, if not before. */
  close(): Promise<void>
}

/** The settings of a server that listens on any free port of this machine and logs nothing. */
export const testSettings = (scope: Scope, options: TestServerOptions = {}): Settings =>
  loadSettings({ file: configFile(scope, options), env: {}, flags: {} })

/** A configuration file for such a server. */
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

interface Opened {
  readonly log: ProvableLog
  readonly companion?: Companion
}

const openFor = async (settings: Settings, { log, open }: TestServerOptions): Promise<Opened> =>
  open ? open(settings) : { log: log ?? (await openLog(settings)) }

/** Starts a server. It ends with the scope. */
export const serverInProcess = async (t: Scope, options: TestServerOptions = {}): Promise<TestServer> => {
  const file = configFile(t, options)
  const { adjust = given => given } = options
  const live = new LiveSettings(() => adjust(loadSettings({ file, env: {}, flags: {} })))
  const settings = live.current
  const clock = options.clock ?? new SetClock()
  const { log, companion } = await openFor(settings, options)
  const running = await startInProcess(live, log, clock, options.register, companion)
  const { scope, advance, setClockBy } = running
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
    advance,
    setClockBy,
    close
  }
}
