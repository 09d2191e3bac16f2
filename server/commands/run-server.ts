import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EventEmitter } from 'eventemitter3'
import type { Logger } from 'pino'
import { Committer } from '../../actors/committer.js'
import { IS_DECIDING } from '../../actors/ports.js'
import type { LogUnusable } from '../../events/log/log.js'
import type { Waiting } from '../cluster/members/clustered-log.js'
import { startLogger } from '../compose.js'
import { openLog } from '../open-log.js'
import type { Environment } from '../settings/client-variables.js'
import { LOGGER, SETTINGS } from '../settings/ports.js'
import type { LogReport } from '../../events/log/report.js'
import { refuseReplicaFolder } from '../replica/replica-folder.js'
import { startServer, type RunningServer, type ServerPorts } from '../running-server.js'
import { type LiveSettings, SettingsError, type Settings } from '../settings/settings.js'
import { ShutdownSignal } from '../../http/wire/shutdown-signal.js'
import { handleSignals } from './signals.js'
import { execFile } from 'node:child_process'
import type { DependencyContainer } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { ANONYMOUS_ACCESSOR, type Token } from '../../events/token.js'
import { Views } from '../../projections/read-models.js'
import { AgentTokens } from '../settings/agent-tokens.js'
import { programVersion } from '../../events/version.js'
import { hostPort, httpAddressesOf } from '../settings/listeners.js'

/** Rules that let DNS answer everything. */
export const DNS_RULES =
  'node_prefix "" { policy = "read" } service_prefix "" { policy = "read" } query_prefix "" { policy = "read" }'

const OFF = 'off'

const urlsOf = (
  settings: Pick<Settings, 'addresses' | 'ports'>,
  { port, httpsPort, dnsPort }: ServerPorts
) => {
  const { addresses, ports } = settings
  const { tcp, socket } = httpAddressesOf(settings)
  const http = [
    ...(port === undefined || tcp === undefined ? [] : [`http://${hostPort(tcp, port)}`]),
    ...(socket === undefined || ports.http === -1 ? [] : [`unix://${socket}`])
  ]
  return {
    http: http.join(' ') || OFF,
    https: httpsPort === undefined ? OFF : `https://${hostPort(addresses.https, httpsPort)}`,
    dns: dnsPort === undefined ? OFF : hostPort(addresses.dns, dnsPort)
  }
}

/** Returns the arguments of curl that reach the first address, up to the path. */
const curlTo = (addresses: string): string => {
  const [first = ''] = addresses.split(' ')
  return first.startsWith('unix://')
    ? `--unix-socket ${first.slice('unix://'.length)} http://localhost`
    : first
}

/** Returns true if the next `PUT /v1/acl/bootstrap` creates a management token. A follower does not know. */
const isBootstrapOpen = (
  { acl, cluster, datacenter, primary_datacenter }: Settings,
  { access }: Pick<Views, 'access'>
): boolean =>
  acl.enabled && !cluster.enabled && datacenter === primary_datacenter && access.bootstrap === undefined

const aclText = ({ acl }: Pick<Settings, 'acl'>, isOpen: boolean): string => {
  if (!acl.enabled) return OFF
  return `${acl.default_policy} by default${isOpen ? ', bootstrap is open' : ''}`
}

export const startFields = (scope: DependencyContainer, ports: ServerPorts) => {
  const settings = scope.resolve(SETTINGS)
  const views = scope.resolve(Views)
  const isOpen = !scope.isRegistered(IS_DECIDING) && isBootstrapOpen(settings, views)
  const urls = urlsOf(settings, ports)
  const own = curlTo(urls.http === OFF ? urls.https : urls.http)
  return {
    ...urls,
    data_dir: settings.data_dir,
    index: views.index,
    version: programVersion(),
    node: process.version,
    acls: aclText(settings, isOpen),
    at_rest: settings.encryption.key === undefined ? 'not encrypted' : 'secrets are encrypted',
    next: isOpen ? `curl -X PUT ${own}/v1/acl/bootstrap` : `curl ${own}/readyz`
  }
}

const isWithoutLinks = ({ Policies, Roles, ServiceIdentities, NodeIdentities }: Token): boolean =>
  [Policies, Roles, ServiceIdentities, NodeIdentities].every(links => links.length === 0)

/** Returns why DNS can answer nothing, and the remedy; undefined if it can. */
export const silentDns = (scope: DependencyContainer, { dnsPort }: ServerPorts): string | undefined => {
  const { acl } = scope.resolve(SETTINGS)
  if (dnsPort === undefined || !acl.enabled || acl.default_policy === 'allow') return undefined
  const secret = scope.resolve(AgentTokens).fallback
  const token = scope.resolve(Views).resolver.resolve(secret, scope.resolve(Clock).now())?.token?.token
  if (token?.AccessorID !== ANONYMOUS_ACCESSOR || !isWithoutLinks(token)) return undefined
  return (
    'DNS answers nothing: it asks with the anonymous token, which has no policy, and acl.default_policy is "deny". ' +
    `Link a policy to the token ${ANONYMOUS_ACCESSOR}, or name another one as acl.tokens.default. Rules that help: ${DNS_RULES}`
  )
}

/** Part of systemd. Node.js has no datagrams over Unix sockets. */
const PROGRAM = 'systemd-notify'
/** Heartbeats per watchdog interval. */
const SIGNS = 2

/** Returns the watchdog interval in ms; undefined if systemd expects no heartbeats of this process. */
const watchdogOf = ({ WATCHDOG_USEC, WATCHDOG_PID }: Environment): number | undefined => {
  const ms = Number(WATCHDOG_USEC) / 1000
  const isOurs = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid)
  return ms > 0 && isOurs ? ms : undefined
}

class ServiceManager {
  #hasFailed = false
  /** The status without a wait. */
  #status = 'starting'
  #sent = 'starting'

  /** @param logger receives one warning if notifications fail */
  constructor(
    private readonly env: Environment,
    private readonly logger: Pick<Logger, 'warn'>
  ) {}

  /** Call when the server listens. Starts the heartbeats, which prove that the event loop turns. */
  ready(status: string): void {
    this.#status = status
    this.#sent = status
    this.#notify('READY=1', `STATUS=${status}`)
    const within = watchdogOf(this.env)
    if (within !== undefined) setInterval(() => this.#notify('WATCHDOG=1'), within / SIGNS).unref()
  }

  /** Sets or clears the reason of a wait. Sends only changes. */
  waiting(reason?: string): void {
    const status = reason ?? this.#status
    if (status === this.#sent) return
    this.#sent = status
    this.#notify(`STATUS=${status}`)
  }

  /** Call when the shutdown begins. Heartbeats continue until the end. */
  stopping(): void {
    this.#notify('STOPPING=1')
  }

  #notify(...states: readonly string[]): void {
    if (!this.env['NOTIFY_SOCKET']) return
    execFile(PROGRAM, states, error => {
      if (error === null || this.#hasFailed) return
      this.#hasFailed = true
      this.logger.warn({ err: error }, `systemd cannot be notified: ${PROGRAM} failed`)
    })
  }
}

/** Passes reports of the log to the server's logger. Reports before the logger exists wait for it. */
class LogReports {
  #logger: Logger | undefined
  #waiting: LogReport[] = []

  readonly take = (report: LogReport): void => {
    if (this.#logger) this.#logger[report.level](report.details ?? {}, `log: ${report.text}`)
    else this.#waiting.push(report)
  }

  attach(logger: Logger): void {
    this.#logger = logger
    for (const report of this.#waiting.splice(0)) this.take(report)
  }
}

interface LogOptions {
  readonly report: LogReports['take']
  readonly fatal: (error: LogUnusable) => void
  readonly waiting: Waiting
}

/** Subfolders of a Consul agent's data folder. */
const CONSUL_FOLDERS = ['raft', 'serf'] as const

/** @throws SettingsError for a data folder of Consul */
const refuseConsulFolder = ({ data_dir: dataDir }: Pick<Settings, 'data_dir'>): void => {
  const found = CONSUL_FOLDERS.find(name => existsSync(join(dataDir, name)))
  if (found !== undefined)
    throw new SettingsError(
      `data_dir must not be the data folder of a Consul agent: ${dataDir} holds "${found}/"; name a folder that is new or that Annals has made`
    )
}

type StartServer = (live: LiveSettings, options: LogOptions) => Promise<RunningServer>

/** Loads only what the settings need. */
const startAs = async (live: LiveSettings, options: LogOptions): Promise<RunningServer> => {
  const settings = live.current
  refuseConsulFolder(settings)
  refuseReplicaFolder(settings)
  if (settings.workers > 0)
    return (await import('../cluster/workers/start-with-workers.js')).startWithWorkers(live, options)
  if (settings.cluster.enabled)
    return (await import('../cluster/members/clustered-server.js')).startClusteredServer(live, options)
  return startServer(live, await openLog(settings, options))
}

const start = async (
  live: LiveSettings,
  early: Logger,
  waiting: Waiting,
  startServerOf: StartServer
): Promise<RunningServer> => {
  const reports = new LogReports()
  reports.attach(early)
  const lost = new EventEmitter<{ lost: [error: LogUnusable] }>()
  const fatal = (error: LogUnusable): void => void lost.emit('lost', error)
  const options = { report: reports.take, fatal, waiting }
  const running = await startServerOf(live, options)
  const logger = running.scope.resolve(LOGGER)
  reports.attach(logger)
  lost.on('lost', error => {
    logger.fatal({ err: error }, 'the log of this server cannot be used: the server ends')
    process.exit(1)
  })
  return running
}

/** Runs a server until a signal ends the process with 0. @param startServerOf default: the server of the settings @throws LogUnusable, or ListenError */
export const serve = async (live: LiveSettings, startServerOf: StartServer = startAs): Promise<void> => {
  const early = startLogger(live.current)
  const manager = new ServiceManager(process.env, early)
  const ending = new AbortController()
  const waiting = { onChange: (reason?: string) => manager.waiting(reason), ending: ending.signal }
  const starting = start(live, early, waiting, startServerOf)
  handleSignals(starting, () => ending.abort())
  const running = await starting.catch(error => {
    if (ending.signal.aborted && error instanceof Error && error.name === 'SharedUnreachable') process.exit(0)
    throw error
  })
  const { scope } = running
  const logger = scope.resolve(LOGGER)
  scope.resolve(Committer).signals.on('broken', error => {
    logger.fatal({ err: error }, 'the log cannot be read: the server ends')
    process.exit(1)
  })
  const fields = startFields(scope, running)
  logger.info(fields, 'annals is listening')
  const silent = silentDns(scope, running)
  if (silent !== undefined) logger.warn(silent)
  manager.ready(`http ${fields.http}, https ${fields.https}, dns ${fields.dns}`)
  scope.resolve(ShutdownSignal).signal.addEventListener('abort', () => manager.stopping())
}
