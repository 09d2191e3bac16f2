// Keeps a worker running: when its process ends, or hangs and is killed, another one is started.
import type { Logger } from 'pino'
import type { WorkerState } from '../../../http/routes/agent/worker-states.js'
import type { WorkerReport } from './message-types.js'
import type { WorkerExit, WorkerHost, WorkerProcess } from './worker-process.js'

/** The pause before the next process is started, in ms. It doubles while processes die before they listen. */
const SOONEST_MS = 100
const LATEST_MS = 30_000

type Life = Pick<WorkerProcess, 'state' | 'pid' | 'hasListened' | 'lastReport' | 'report' | 'ended' | 'end'>

export class WorkerSupervisor {
  #process: Life
  #pause = SOONEST_MS
  #timer: string | undefined
  /** The process that is to end so that another one comes. */
  #replaced: Life | undefined
  #isEnding = false

  /** @param startProcess called for each life */
  constructor(
    private readonly startProcess: () => Life,
    private readonly host: Pick<WorkerHost, 'timers' | 'ended' | 'lost'>,
    private readonly logger: Logger
  ) {
    this.#process = this.#started()
  }

  get state(): WorkerState {
    return this.#process.state
  }

  /** What it counts; undefined while it does not answer. */
  report(): Promise<WorkerReport | undefined> {
    return this.#process.report()
  }

  /** What its process told when it was last asked for a report; undefined when there is none. */
  get lastReport(): WorkerReport | undefined {
    return this.#isEnded ? undefined : this.#process.lastReport
  }

  /** Ends its process, and starts another one. Does nothing between two processes: the next one is started anyway. */
  replace(): void {
    if (this.#isEnded) return
    this.#replaced = this.#process
    void this.#process.end()
  }

  /** Ends it for good, after the requests in flight. */
  async end(): Promise<void> {
    this.#isEnding = true
    if (this.#timer !== undefined) this.host.timers.clearTimeout(this.#timer)
    await this.#process.end()
  }

  get #isEnded(): boolean {
    return this.#process.state.state === 'ended'
  }

  #started(): Life {
    const made = this.startProcess()
    void this.#outlive(made)
    return made
  }

  #start(): void {
    this.#process = this.#started()
  }

  async #outlive(made: Life): Promise<void> {
    const end = await made.ended
    this.host.ended(made.state.number, made.lastReport)
    if (!this.#isEnding) this.#restart(made, end)
  }

  #restart(made: Life, { kind, reason }: WorkerExit): void {
    const { pid, hasListened } = made
    if (made === this.#replaced) return this.#start()
    this.host.lost(kind)
    if (hasListened) this.#pause = SOONEST_MS
    const ms = this.#pause
    this.#pause = Math.min(2 * ms, LATEST_MS)
    const what =
      kind === 'hung' ? 'a worker did not answer any more and was killed' : 'a worker has ended by itself'
    this.logger.error({ worker: made.state.number, pid, reason, ms }, `${what}: it is started anew`)
    this.#timer = this.host.timers.setTimeout(() => this.#start(), ms)
  }
}
