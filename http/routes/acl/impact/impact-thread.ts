// Compares rights, and decides those of earlier states, on a thread, which starts with the first request and ends when there is none for a while.
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
/** Requests that wait for their turn, impacts each with its change and recorded questions. */
const MOST_WAITING = 32
/** The thread keeps parsed rules for the next request so long. */
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

type AnswerOf<Kind> = Extract<ImpactAnswer, { readonly kind: Kind }>

const isOfKind = <Kind extends ImpactAnswer['kind']>(
  answer: ImpactAnswer,
  kind: Kind
): answer is AnswerOf<Kind> => answer.kind === kind

/** A thread, which compares one change, or decides for one state, at a time. */
export class ComparingThread {
  #end: ThreadEnded | undefined

  constructor(private readonly worker: Worker) {
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

  /** Compares the rights before and after the change that was posted. @throws ThreadEnded */
  compare(): Promise<Compared> {
    return this.ask({ kind: 'compare' }, 'compared')
  }

  /** Returns an effect of the change by its number, from 0. @throws ThreadEnded */
  effect(number: number): Promise<ComparedEffect> {
    return this.ask({ kind: 'effect', number }, 'effect')
  }

  async end(): Promise<void> {
    this.#end ??= new ThreadEnded('the thread that compares rights was ended')
    await this.worker.terminate()
  }

  /** Returns the answer to a task. Must not be called concurrently. @throws ThreadEnded */
  async ask<Kind extends ImpactAnswer['kind']>(task: ImpactTask, kind: Kind): Promise<AnswerOf<Kind>> {
    if (this.#end) throw this.#end
    const next = threadMessage<ImpactAnswer>(this.worker)
    this.post(task)
    let answer: ImpactAnswer
    try {
      answer = await next
    } catch (error) {
      throw this.#end ?? error
    }
    if (isOfKind(answer, kind)) return answer
    throw new Error(`the thread that compares rights answered ${answer.kind} in place of ${kind}`)
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
   * Runs requests one after the other.
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
        `${MOST_WAITING} other impacts and earlier permissions wait for their turn: retry later`
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
            'The rules and tokens that the request concerns do not fit into the memory of this server'
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
