// Restarts a worker when its process ends, or hangs and is killed.
import type { Logger } from 'pino'
import type { WorkerState } from '../../../http/routes/agent/worker-states.js'
import type { WorkerReport } from './message-types.js'
import type { WorkerExit, WorkerHost, WorkerProcess } from './worker-process.js'

/** Pause before a restart. It doubles while processes die before they listen. */
const MIN_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000

type SupervisedProcess = Pick<
  WorkerProcess,
  'state' | 'pid' | 'hasListened' | 'lastReport' | 'report' | 'ended' | 'end'
>

export class WorkerSupervisor {
  #process: SupervisedProcess
  #pause = MIN_PAUSE_MS
  #timer: string | undefined
  /** The process that `replace` ends. */
  #replaced: SupervisedProcess | undefined
  #isEnding = false

  /** @param startProcess called for each process */
  constructor(
    private readonly startProcess: () => SupervisedProcess,
    private readonly host: Pick<WorkerHost, 'timers' | 'ended' | 'lost'>,
    private readonly logger: Logger
  ) {
    this.#process = this.#start()
  }

  get state(): WorkerState {
    return this.#process.state
  }

  /** Returns undefined while the worker does not answer. */
  report(): Promise<WorkerReport | undefined> {
    return this.#process.report()
  }

  get lastReport(): WorkerReport | undefined {
    return this.#isEnded ? undefined : this.#process.lastReport
  }

  /** Replaces the process. Does nothing between two processes, because the next one starts anyway. */
  replace(): void {
    if (this.#isEnded) return
    this.#replaced = this.#process
    void this.#process.end()
  }

  /** Ends the worker for good, after the requests in flight. */
  async end(): Promise<void> {
    this.#isEnding = true
    if (this.#timer !== undefined) this.host.timers.clearTimeout(this.#timer)
    await this.#process.end()
  }

  get #isEnded(): boolean {
    return this.#process.state.state === 'ended'
  }

  #start(): SupervisedProcess {
    const started = this.startProcess()
    void this.#superviseUntilEnd(started)
    return started
  }

  async #superviseUntilEnd(started: SupervisedProcess): Promise<void> {
    const end = await started.ended
    this.host.ended(started.state.number, started.lastReport)
    if (!this.#isEnding) this.#restart(started, end)
  }

  #restart(started: SupervisedProcess, { kind, reason }: WorkerExit): void {
    const { pid, hasListened } = started
    if (started === this.#replaced) {
      this.#process = this.#start()
      return
    }
    this.host.lost(kind)
    if (hasListened) this.#pause = MIN_PAUSE_MS
    const ms = this.#pause
    this.#pause = Math.min(2 * ms, MAX_PAUSE_MS)
    const what =
      kind === 'hung' ? 'a worker stopped answering and was killed' : 'a worker has ended by itself'
    this.logger.error({ worker: started.state.number, pid, reason, ms }, `${what}: it is restarted`)
    this.#timer = this.host.timers.setTimeout(() => (this.#process = this.#start()), ms)
  }
}
