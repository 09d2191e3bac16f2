// A worker that is always there: when its process ends, or hangs and is killed, it is started anew.
import type { Logger } from 'pino'
import type { WorkerState } from '../program/worker-states.js'
import type { WorkerReport, WorkerStart } from './messages.js'
import { WorkerProcess, type WorkerEnd, type WorkerHost } from './worker-process.js'

/** One that has died is started anew after so many ms; one that dies before it has listened, after twice as many as the last time. */
const SOONEST_MS = 100
const LATEST_MS = 30_000

export class KeptWorker {
  readonly #startWith: () => WorkerStart
  readonly #host: WorkerHost
  readonly #logger: Logger
  #process: WorkerProcess
  #pause = SOONEST_MS
  #timer: NodeJS.Timeout | undefined
  #isReplaced = false
  #isEnding = false

  /** @param startWith asked each time a process is started */
  constructor(startWith: () => WorkerStart, host: WorkerHost, logger: Logger) {
    this.#startWith = startWith
    this.#host = host
    this.#logger = logger
    this.#process = this.#started()
  }

  get state(): WorkerState {
    return this.#process.state
  }

  /** What it counts; undefined while it does not answer. */
  report(): Promise<WorkerReport | undefined> {
    return this.#process.report()
  }

  /** Ends its process, and starts another one. */
  replace(): void {
    this.#isReplaced = true
    void this.#process.end()
  }

  /** Ends it for good, after the requests in flight. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#timer)
    await this.#process.end()
  }

  #started(): WorkerProcess {
    const start = this.#startWith()
    const made = new WorkerProcess(start, this.#host)
    void this.#outlive(start.number, made)
    return made
  }

  #start(): void {
    this.#process = this.#started()
  }

  async #outlive(worker: number, made: WorkerProcess): Promise<void> {
    const end = await made.ended
    this.#host.ended(worker)
    if (!this.#isEnding) this.#startAnew(worker, made, end)
  }

  #startAnew(worker: number, { pid, hasListened }: WorkerProcess, { kind, reason }: WorkerEnd): void {
    const wasReplaced = this.#isReplaced
    this.#isReplaced = false
    if (wasReplaced) return this.#start()
    this.#host.lost(kind)
    if (hasListened) this.#pause = SOONEST_MS
    const ms = this.#pause
    this.#pause = Math.min(2 * ms, LATEST_MS)
    const what =
      kind === 'hung' ? 'a worker did not answer any more and was killed' : 'a worker has ended by itself'
    this.#logger.error({ worker, pid, reason, ms }, `${what}: it is started anew`)
    this.#timer = setTimeout(() => this.#start(), ms)
  }
}
