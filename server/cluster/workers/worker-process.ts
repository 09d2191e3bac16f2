import { fork, type ChildProcess } from 'node:child_process'
import { Writable } from 'node:stream'
import type { Clock, Timers } from '../../../actors/clock.js'
import { programFile } from '../../../events/program-files.js'
import type { WorkerHeartbeat, WorkerState } from '../../../http/routes/agent/worker-states.js'
import { FEED_FILE } from './message-types.js'
import type { FromWorker, ToWorker, WorkerReport, WorkerStart } from './message-types.js'

const BEAT_MS = 1000
/** Missed heartbeats after which a worker is killed. A starting worker builds its read models, which takes long. */
const MAX_MISSED = { listening: 20, starting: 120 } as const
/** Missed heartbeats after which requests to the worker no longer wait. */
const SILENT_AFTER = 2

interface HeartbeatOptions {
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  readonly beat: () => void
  readonly isListening: () => boolean
  readonly silent: () => void
  /** Called once, when the worker must be killed. */
  readonly lost: () => void
}

/** Counts missed heartbeats instead of time, so a pause of this process costs the worker at most one. */
export class Heartbeat {
  #missed = 0
  #isAnswered = false
  #timer: string

  constructor(private readonly parts: HeartbeatOptions) {
    this.#timer = this.#beat()
  }

  answered(): void {
    this.#isAnswered = true
    this.#missed = 0
  }

  /** Several heartbeats are unanswered. */
  get isSilent(): boolean {
    return this.#missed >= SILENT_AFTER
  }

  stop(): void {
    this.parts.timers.clearTimeout(this.#timer)
  }

  #beat(): string {
    this.parts.beat()
    return this.parts.timers.setTimeout(() => this.#look(), BEAT_MS)
  }

  #look(): void {
    const { isListening, silent, lost } = this.parts
    this.#missed = this.#isAnswered ? 0 : this.#missed + 1
    this.#isAnswered = false
    if (this.#missed === SILENT_AFTER) silent()
    if (this.#missed < MAX_MISSED[isListening() ? 'listening' : 'starting']) this.#timer = this.#beat()
    else lost()
  }
}

/** The services of the main process for a worker. */
export interface WorkerHost {
  /** File of the shared position. */
  readonly position: number
  readonly feed: { attach(socket: Writable): void }
  readonly clock: Pick<Clock, 'now'>
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  /** Index of the newest durable commit. */
  readonly durable: () => number
  /** In a cluster: resolves when all acknowledged writes were sent to the workers. Rejects if that is unknown. */
  readonly newest: () => Promise<void>
  readonly onMessage: (message: FromWorker, by: number) => void
  /** Called when a process has ended, with its last report. */
  readonly ended: (worker: number, last: WorkerReport | undefined) => void
  /** Called when a process has ended unexpectedly. */
  readonly lost: (kind: WorkerExit['kind']) => void
}

export interface WorkerExit {
  readonly kind: 'by itself' | 'hung'
  /** Exit code or signal. */
  readonly reason: string
}

export class WorkerProcess {
  readonly #child: ChildProcess
  readonly #since: number
  readonly #heartbeat: Heartbeat
  readonly #asked = new Map<number, (report: WorkerReport | undefined) => void>()
  readonly ended: Promise<WorkerExit>
  #numbers = 0
  #hasListened = false
  #isEnded = false
  #isHung = false
  #sign: WorkerHeartbeat | undefined
  #lastReport: WorkerReport | undefined
  /** The durable index at the last heartbeat. */
  #askedAt = 0
  #behind = 0

  constructor(
    private readonly start: WorkerStart,
    private readonly host: WorkerHost
  ) {
    const { position, feed, clock, timers, durable, newest, onMessage } = host
    this.#since = clock.now()
    // File descriptors as in `message-types.ts`.
    this.#child = fork(programFile('worker'), [], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', position, 'pipe'],
      serialization: 'advanced'
    })
    this.#child.on('message', (message: FromWorker) => {
      if (message.kind === 'follow') {
        const socket = this.#child.stdio.at(FEED_FILE)
        if (socket instanceof Writable) feed.attach(socket)
      } else if (message.kind === 'report') {
        this.#lastReport = message.report
        this.#asked.get(message.number)?.(message.report)
      } else if (message.kind === 'beat') this.#note(message.sign)
      else if (message.kind === 'newest') {
        const { number } = message
        const answer = (isCertain: boolean): void => this.#send({ kind: 'newest', number, isCertain })
        newest().then(
          () => answer(true),
          () => answer(false)
        )
      } else {
        if (message.kind === 'listening') this.#hasListened = true
        onMessage(message, start.number)
      }
    })
    const ended = new Promise<string>(resolve => {
      this.#child.on('error', error => resolve(error.message))
      this.#child.on('exit', (code, signal) => resolve(String(signal ?? code)))
    })
    this.ended = ended.then(reason => {
      this.#isEnded = true
      this.#heartbeat.stop()
      this.#giveUpReports()
      return { kind: this.#isHung ? 'hung' : 'by itself', reason }
    })
    this.#send({ kind: 'start', start })
    this.#heartbeat = new Heartbeat({
      timers,
      beat: () => {
        this.#askedAt = durable()
        this.#send({ kind: 'beat' })
      },
      isListening: () => this.#hasListened,
      silent: () => this.#giveUpReports(),
      lost: () => {
        this.#isHung = true
        this.#child.kill('SIGKILL')
      }
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The worker has listened at some time. */
  get hasListened(): boolean {
    return this.#hasListened
  }

  get lastReport(): WorkerReport | undefined {
    return this.#lastReport
  }

  get state(): WorkerState {
    const { isSilent } = this.#heartbeat
    const running = isSilent ? 'silent' : this.#hasListened ? 'listening' : 'starting'
    return {
      number: this.start.number,
      pid: this.#isEnded ? undefined : this.pid,
      state: this.#isEnded ? 'ended' : running,
      since: this.#since,
      sign: this.#sign,
      behind: isSilent ? this.host.durable() - (this.#sign?.index ?? 0) : this.#behind
    }
  }

  /** Returns undefined if the worker ends or becomes silent before it answers. */
  async report(): Promise<WorkerReport | undefined> {
    if (this.state.state !== 'listening') return undefined
    const number = ++this.#numbers
    const report = new Promise<WorkerReport | undefined>(resolve => this.#asked.set(number, resolve))
    this.#send({ kind: 'report', number })
    try {
      return await report
    } finally {
      this.#asked.delete(number)
    }
  }

  /** Ends the process after the requests in flight. */
  async end(): Promise<void> {
    this.#send({ kind: 'end' })
    await this.ended
  }

  #note(sign: WorkerHeartbeat): void {
    this.#sign = sign
    this.#behind = Math.max(this.#askedAt - sign.index, 0)
    this.#heartbeat.answered()
  }

  #send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  #giveUpReports(): void {
    for (const take of this.#asked.values()) take(undefined)
  }
}
