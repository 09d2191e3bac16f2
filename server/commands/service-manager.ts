// What systemd is told, where it has started the server (sd_notify): that it listens, that it ends, and that it lives.
import { execFile } from 'node:child_process'
import type { Logger } from 'pino'

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

export class ServiceManager {
  #hasFailed = false
  /** Of a server that waits for nothing. */
  #status = 'starting'
  /** The newest that was sent. */
  #sent = 'starting'

  /** @param logger told, once, when systemd cannot be told */
  constructor(private readonly env: Environment, private readonly logger: Pick<Logger, 'warn'>) {
  }

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
