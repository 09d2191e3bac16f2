// One life of a worker, as the main process sees it.
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Clock } from '../../../actors/clock.js'
import type { Timers } from '../../../actors/timers.js'
import type { WorkerHeartbeat, WorkerState } from '../../../http/routes/agent/worker-states.js'
import { FEED_FILE } from './message-types.js'
import type { FromWorker, ToWorker, WorkerReport, WorkerStart } from './message-types.js'

/** Notices that a worker does not answer any more, although its process lives. */
const BEAT_MS = 1000
/** Beats without an answer after which a worker is given up. One that starts makes the read models, which may keep it for long. */
const MOST_MISSED = { listening: 20, starting: 120 } as const
/** From so many on nobody waits for what it might say. */
const SILENT_AFTER = 2

interface BeatParts {
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  /** Asks the worker for a sign of life. */
  readonly beat: () => void
  /** Whether it has come to answer requests. */
  readonly isListening: () => boolean
  /** Called when it has just fallen silent. */
  readonly silent: () => void
  /** Called once: it is given up. */
  readonly lost: () => void
}

/** Counts what a worker leaves unanswered, not the time: when this process itself stood still, the worker has missed one beat at most. */
export class Heartbeat {
  #missed = 0
  #isAnswered = false
  #timer: string

  constructor(private readonly parts: BeatParts) {
    this.#timer = this.#beat()
  }

  /** The worker has given a sign of life. */
  answered(): void {
    this.#isAnswered = true
    this.#missed = 0
  }

  /** Whether it has left several beats unanswered. */
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
    if (this.#missed < MOST_MISSED[isListening() ? 'listening' : 'starting']) this.#timer = this.#beat()
    else lost()
  }
}

const PROGRAM = join(import.meta.dirname, 'child.js')

/** What a worker needs of the main process. */
export interface WorkerHost {
  /** The file of the shared number. */
  readonly position: number
  readonly feed: { attach(socket: Writable): void }
  readonly clock: Pick<Clock, 'now'>
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
  /** Newest commit on disk. */
  readonly durable: () => number
  /** In a cluster: resolves when everything that any server has acknowledged was told. Rejects when nobody can say so. */
  readonly newest: () => Promise<void>
  readonly told: (message: FromWorker, by: number) => void
  /** Called when its process has ended, with what that last reported. */
  readonly ended: (worker: number, last: WorkerReport | undefined) => void
  /** One that was to go on has ended. */
  readonly lost: (kind: WorkerExit['kind']) => void
}

/** Why a worker has ended. */
export interface WorkerExit {
  readonly kind: 'by itself' | 'hung'
  /** Its exit code, or the signal that ended it. */
  readonly reason: string
}

type Take = (report: WorkerReport | undefined) => void

export class WorkerProcess {
  readonly #child: ChildProcess
  readonly #number: number
  readonly #since: number
  readonly #durable: () => number
  readonly #heartbeat: Heartbeat
  readonly #asked = new Map<number, Take>()
  readonly #ended: Promise<WorkerExit>
  #numbers = 0
  #hasListened = false
  #isEnded = false
  #isHung = false
  #sign: WorkerHeartbeat | undefined
  #lastReport: WorkerReport | undefined
  /** What was on disk when it was last asked for a sign of life. */
  #askedAt = 0
  #behind = 0

  constructor(start: WorkerStart, { position, feed, clock, timers, durable, newest, told }: WorkerHost) {
    this.#number = start.number
    this.#since = clock.now()
    this.#durable = durable
    // Files as in `files.ts`.
    this.#child = fork(PROGRAM, [], {
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
        const answer = (isCertain: boolean): void => this.#tell({ kind: 'newest', number, isCertain })
        newest().then(
          () => answer(true),
          () => answer(false)
        )
      } else {
        if (message.kind === 'listening') this.#hasListened = true
        told(message, this.#number)
      }
    })
    const ended = new Promise<string>(resolve => {
      this.#child.on('error', error => resolve(error.message))
      this.#child.on('exit', (code, signal) => resolve(String(signal ?? code)))
    })
    this.#ended = ended.then(reason => {
      this.#isEnded = true
      this.#heartbeat.stop()
      this.#giveUpReports()
      return { kind: this.#isHung ? 'hung' : 'by itself', reason }
    })
    this.#tell({ kind: 'start', start })
    this.#heartbeat = new Heartbeat({
      timers,
      beat: () => {
        this.#askedAt = durable()
        this.#tell({ kind: 'beat' })
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

  /** Whether it has ever answered. */
  get hasListened(): boolean {
    return this.#hasListened
  }

  /** What it told when it was last asked for a report. */
  get lastReport(): WorkerReport | undefined {
    return this.#lastReport
  }

  get state(): WorkerState {
    const { isSilent } = this.#heartbeat
    const running = isSilent ? 'silent' : this.#hasListened ? 'listening' : 'starting'
    return {
      number: this.#number,
      pid: this.#isEnded ? undefined : this.pid,
      state: this.#isEnded ? 'ended' : running,
      since: this.#since,
      sign: this.#sign,
      behind: isSilent ? this.#durable() - (this.#sign?.index ?? 0) : this.#behind
    }
  }

  /** Resolves when it has ended. */
  get ended(): Promise<WorkerExit> {
    return this.#ended
  }

  /** What it counts; undefined when it ends, or falls silent, before it answers. */
  async report(): Promise<WorkerReport | undefined> {
    if (this.state.state !== 'listening') return undefined
    const number = ++this.#numbers
    const report = new Promise<WorkerReport | undefined>(resolve => this.#asked.set(number, resolve))
    this.#tell({ kind: 'report', number })
    try {
      return await report
    } finally {
      this.#asked.delete(number)
    }
  }

  /** Has it end after the requests in flight. */
  async end(): Promise<void> {
    this.#tell({ kind: 'end' })
    await this.#ended
  }

  #note(sign: WorkerHeartbeat): void {
    this.#sign = sign
    this.#behind = Math.max(this.#askedAt - sign.index, 0)
    this.#heartbeat.answered()
  }

  #tell(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => {})
  }

  #giveUpReports(): void {
    for (const take of this.#asked.values()) take(undefined)
  }
}
