// `annals serve`: a server from start to signal.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EventEmitter } from 'eventemitter3'
import type { Logger } from 'pino'
import { Committer } from '../../actors/committer.js'
import type { LogUnusable } from '../../events/log/log.js'
import type { Waiting } from '../cluster/members/clustered-log.js'
import { openLog, startLogger } from '../compose.js'
import { LOGGER } from '../settings/ports.js'
import { LogReports } from './log-reports.js'
import { startServer, type RunningServer } from '../running-server.js'
import type { LiveSettings } from '../settings/live-settings.js'
import { SettingsError, type Settings } from '../settings/settings.js'
import { ShutdownSignal } from '../../http/wire/shutdown-signal.js'
import { handleSignals } from './signals.js'
import { silentDns, startFields } from './start-report.js'
import { execFile } from 'node:child_process'

/** Part of systemd. Node has no datagrams over UNIX sockets, by which systemd is told things. */
const PROGRAM = 'systemd-notify'
/** So often within the time after which systemd takes silence for death. */
const SIGNS = 2

/** The variables by which systemd says how it wants to be told. */
type Environment = Readonly<Record<string, string | undefined>>

/** Milliseconds within which systemd wants a sign of life; undefined where it wants none of this process. */
const watchdogOf = ({ WATCHDOG_USEC, WATCHDOG_PID }: Environment): number | undefined => {
  const ms = Number(WATCHDOG_USEC) / 1000
  const isOurs = WATCHDOG_PID === undefined || WATCHDOG_PID === String(process.pid)
  return ms > 0 && isOurs ? ms : undefined
}

class ServiceManager {
  #hasFailed = false
  /** Of a server that waits for nothing. */
  #status = 'starting'
  /** The newest that was sent. */
  #sent = 'starting'

  /** @param logger told, once, when systemd cannot be told */
  constructor(
    private readonly env: Environment,
    private readonly logger: Pick<Logger, 'warn'>
  ) {}

  /** The server listens. From now on there are signs of life: each is a turn of the event loop. */
  ready(status: string): void {
    this.#status = status
    this.#sent = status
    this.#tell('READY=1', `STATUS=${status}`)
    const within = watchdogOf(this.env)
    if (within !== undefined) setInterval(() => this.#tell('WATCHDOG=1'), within / SIGNS).unref()
  }

  /** What the server waits for; without a text, nothing any longer. Called as often as one likes: only changes are sent. */
  waiting(reason?: string): void {
    const status = reason ?? this.#status
    if (status === this.#sent) return
    this.#sent = status
    this.#tell(`STATUS=${status}`)
  }

  /** The server ends. Signs of life go on until it has: what is in flight may take its time. */
  stopping(): void {
    this.#tell('STOPPING=1')
  }

  #tell(...states: readonly string[]): void {
    if (!this.env['NOTIFY_SOCKET']) return
    execFile(PROGRAM, states, error => {
      if (error === null || this.#hasFailed) return
      this.#hasFailed = true
      this.logger.warn({ err: error }, `systemd cannot be told how the server is: ${PROGRAM} failed`)
    })
  }
}

interface LogOptions {
  readonly report: LogReports['take']
  readonly fatal: (error: LogUnusable) => void
  readonly waiting: Waiting
}

/** What a Consul agent keeps in its data folder. */
const CONSUL_FOLDERS = ['raft', 'serf'] as const

/** @throws SettingsError for a data folder of Consul */
const refuseConsulFolder = ({ data_dir: dataDir }: Pick<Settings, 'data_dir'>): void => {
  const found = CONSUL_FOLDERS.find(name => existsSync(join(dataDir, name)))
  if (found !== undefined)
    throw new SettingsError(
      `data_dir must not be the data folder of a Consul agent: ${dataDir} holds "${found}/"; name a folder that is new or that Annals has made`
    )
}

/** What the settings do not ask for is not loaded. */
const startAs = async (live: LiveSettings, options: LogOptions): Promise<RunningServer> => {
  const settings = live.current
  refuseConsulFolder(settings)
  if (settings.workers > 0)
    return (await import('../cluster/workers/start-with-workers.js')).startWithWorkers(live, options)
  if (settings.cluster.enabled)
    return (await import('../cluster/members/clustered-server.js')).startClusteredServer(live, options)
  return startServer(live, await openLog(settings, options))
}

const start = async (live: LiveSettings, early: Logger, waiting: Waiting): Promise<RunningServer> => {
  const reports = new LogReports()
  reports.attach(early)
  const lost = new EventEmitter<{ lost: [error: LogUnusable] }>()
  const fatal = (error: LogUnusable): void => void lost.emit('lost', error)
  const options = { report: reports.take, fatal, waiting }
  const running = await startAs(live, options)
  const logger = running.scope.resolve(LOGGER)
  reports.attach(logger)
  lost.on('lost', error => {
    logger.fatal({ err: error }, 'the log of this server cannot be used: the server ends')
    process.exit(1)
  })
  return running
}

/**
 * Runs a server until a signal ends it, and the process with 0 (see `signals.ts`).
 * @throws LogUnusable, or ListenError
 */
export const serve = async (live: LiveSettings): Promise<void> => {
  const early = startLogger(live.current)
  const manager = new ServiceManager(process.env, early)
  const ending = new AbortController()
  const waiting = { onChange: (reason?: string) => manager.waiting(reason), ending: ending.signal }
  const starting = start(live, early, waiting)
  handleSignals(starting, () => ending.abort())
  const running = await starting.catch(error => {
    if (ending.signal.aborted && error instanceof Error && error.name === 'SharedUnreachable') process.exit(0)
    throw error
  })
  const { scope } = running
  const logger = scope.resolve(LOGGER)
  scope.resolve(Committer).signals.on('broken', error => {
    logger.fatal({ err: error }, 'the log cannot be read: the server ends rather than guess')
    process.exit(1)
  })
  const told = startFields(scope, running)
  logger.info(told, 'annals is listening')
  const silent = silentDns(scope, running)
  if (silent !== undefined) logger.warn(silent)
  manager.ready(`http ${told.http}, https ${told.https}, dns ${told.dns}`)
  scope.resolve(ShutdownSignal).signal.addEventListener('abort', () => manager.stopping())
}
