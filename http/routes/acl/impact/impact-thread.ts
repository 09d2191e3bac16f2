// Compares rights on a thread, which starts with the first impact, and ends when none is requested for a while.
import { getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { inject, Lifecycle, scoped, type InjectionToken } from 'tsyringe'
import { Timers } from '../../../../actors/clock.js'
import { Refusal } from '../../../../actors/refusal.js'
import { hasCode } from '../../../../events/errors.js'
import { programFile } from '../../../../events/program-files.js'
import { threadMessage } from '../../../../events/thread-message.js'
import { LOGGER } from '../../../../server/settings/ports.js'
import type { Logger } from '../../../../server/telemetry/logging/logger.js'
import type { RequestContext } from '../../../wire/request-context.js'
import type { Compared, ComparedEffect, ImpactAnswer, ImpactTask } from './impact-messages.js'

const MEBIBYTE = 1024 * 1024
/** Impacts that wait for their turn, each with its change and recorded questions. */
const MOST_WAITING = 32
/** The thread keeps parsed rules for the next impact so long. */
const IDLE_MS = 60_000

/** Starts the thread. Default: `startImpactThread`. */
export const START_IMPACT_THREAD: InjectionToken<() => Worker> = Symbol('StartImpactThread')

/** @param mebibytes of its heap; default: as much as this server has, since the rules must fit there as well */
export const startImpactThread = (
  mebibytes: number = getHeapStatistics().heap_size_limit / MEBIBYTE
): Worker =>
  new Worker(programFile('impact'), {
    name: 'impact',
    resourceLimits: { maxOldGenerationSizeMb: mebibytes }
  })

/** The thread ended before it answered. */
class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

const unexpected = (): Error => new Error('the thread that compares rights answered another question')

/** A thread, which compares one change at a time. */
export class ComparingThread {
  #end: ThreadEnded | undefined

  constructor(private readonly worker: Worker) {
    worker.unref()
    worker.on('error', error => (this.#end ??= new ThreadEnded(error.message, { cause: error })))
    worker.once('exit', () => (this.#end ??= new ThreadEnded('the thread that compares rights has ended')))
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  post(task: ImpactTask): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.worker.postMessage(task)
  }

  /** Compares the rights before and after the change that was posted. */
  async compare(): Promise<Compared> {
    const answer = await this.#ask({ kind: 'compare' })
    if (answer.kind === 'compared') return answer
    throw unexpected()
  }

  /** Returns an effect of the change by its number, from 0. */
  async effect(number: number): Promise<ComparedEffect> {
    const answer = await this.#ask({ kind: 'effect', number })
    if (answer.kind === 'effect') return answer
    throw unexpected()
  }

  async end(): Promise<void> {
    this.#end ??= new ThreadEnded('the thread that compares rights was ended')
    await this.worker.terminate()
  }

  /** @throws ThreadEnded */
  async #ask(task: ImpactTask): Promise<ImpactAnswer> {
    if (this.#end) throw this.#end
    const answer = threadMessage<ImpactAnswer>(this.worker)
    this.post(task)
    try {
      return await answer
    } catch (error) {
      throw this.#end ?? error
    }
  }
}

@scoped(Lifecycle.ContainerScoped)
export class ImpactThread {
  #thread: ComparingThread | undefined
  #last: Promise<unknown> = Promise.resolve()
  #idle: string | undefined
  #waiting = 0
  #isClosed = false

  constructor(
    private readonly timers: Timers,
    @inject(LOGGER) private readonly logger: Logger,
    @inject(START_IMPACT_THREAD, { isOptional: true })
    private readonly start: () => Worker = startImpactThread
  ) {}

  /**
   * Runs impacts one after the other.
   * @param work runs again on another thread if the first one ends by itself
   * @throws Refusal `too-many`; `too-large` if the rules do not fit into memory; `unavailable` if the client has disconnected, or the second thread ends, too
   */
  async run<Result>(
    request: RequestContext,
    work: (thread: ComparingThread) => Promise<Result>
  ): Promise<Result> {
    if (this.#waiting === MOST_WAITING)
      throw new Refusal(
        'acl.impact.too-many',
        `${MOST_WAITING} other impacts wait for their turn: retry later`
      )
    this.#waiting++
    const result = this.#last.then(() => this.#runTwice(request, work))
    this.#last = result.catch(() => {})
    try {
      return await result
    } finally {
      this.#waiting--
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.end()
  }

  async #runTwice<Result>(
    request: RequestContext,
    work: (thread: ComparingThread) => Promise<Result>
  ): Promise<Result> {
    const check = request.readerCheck()
    for (let isRepeated = false; ; isRepeated = true) {
      check()
      try {
        return await this.#runOnce(request, work)
      } catch (error) {
        // The thread of a client that has disconnected was ended.
        check()
        if (!(error instanceof ThreadEnded)) throw error
        this.logger.error({ err: error.cause ?? error }, 'the thread that compares rights ended unexpectedly')
        if (hasCode(error.cause, 'ERR_WORKER_OUT_OF_MEMORY'))
          throw new Refusal(
            'acl.impact.too-large',
            'The rules of the tokens that the change concerns do not fit into the memory of this server'
          )
        if (isRepeated)
          throw new Refusal(
            'request.unavailable',
            'The thread that compares rights ended twice before it answered: retry later, and read its errors in the log of this server'
          )
      }
    }
  }

  async #runOnce<Result>(
    request: RequestContext,
    work: (thread: ComparingThread) => Promise<Result>
  ): Promise<Result> {
    const thread = this.#current()
    const unlisten = request.onGone(() => void thread.end())
    try {
      return await work(thread)
    } catch (error) {
      await thread.end()
      throw error
    } finally {
      unlisten()
      this.#idle = this.timers.setTimeout(() => void thread.end(), IDLE_MS)
    }
  }

  #current(): ComparingThread {
    if (this.#isClosed) throw new Refusal('request.unavailable', 'The server is shutting down')
    if (this.#idle !== undefined) this.timers.clearTimeout(this.#idle)
    if (!this.#thread || this.#thread.hasEnded) this.#thread = new ComparingThread(this.start())
    return this.#thread
  }
}
