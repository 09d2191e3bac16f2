// A stream to a webhook from one position of the cursor, under one set of permissions. If either changes, the run ends and its owner
// starts another one.
import { createActor } from 'xstate'
import { cursorRef } from '../../actors/cursor.js'
import {
  deliveryMachine,
  type Batch,
  type DeliveryActor,
  type Failure
} from '../../actors/webhook/delivery-machine.js'
import { retryDelay } from '../../actors/outgoing/guarded-client.js'
import type { Verdict } from '../../actors/webhook/webhook-http.js'
import { CURSOR_TOPIC } from '../../events/cursor.js'
import type { Authority } from '../../projections/acl/resolver.js'
import type { Subscription } from '../../projections/stream/subscription.js'
import type { StreamOpening } from '../stream/opened-stream.js'
import type { SinkListener } from '../stream/sink.js'
import { BatchBuffer, type BatchLimits, WebhookSink } from './webhook-sink.js'
import type { WebhookDependencies } from './webhook-dependencies.js'

interface RunInput {
  readonly name: string
  readonly subscription: Subscription
  readonly position: number
  /** The last index of an interrupted batch at the position; undefined for none. */
  readonly batchTo: number | undefined
  readonly url: string
  readonly secret: string
  readonly owner: { readonly secret: string | undefined; readonly authority: Authority }
}

interface RunOwner {
  onDelivered(): void
  /** An attempt failed. The next one follows after `wait` ms, if any. */
  onFailed(failure: Failure, wait: number | undefined): void
  /** The cursor has moved, the permissions have changed, or the log did not store the progress. */
  onOver(why: 'moved' | 'rights' | 'unkept'): void
  onEnded(code: number, message: string): void
}

/** Returns the opening of the stream that a webhook sends. @param start index of its first commit */
export const webhookOpening = (
  subscription: Subscription,
  start: number,
  secret: string | undefined
): StreamOpening => ({
  subscription,
  start,
  snapshot: false,
  progress: true,
  secret,
  address: '',
  requestId: '',
  wire: 'webhook'
})

const STALE: Verdict = { outcome: 'failed', reason: 'the delivery was restarted' }

export class DeliveryRun {
  readonly #buffer: BatchBuffer
  readonly #actor: DeliveryActor
  #sink: WebhookSink | undefined
  #position: number
  #stored: Promise<unknown> = Promise.resolve()
  /** True if the machine accepts a batch. Tracked here, since its state lags behind its own actions. */
  #isIdle = false
  #isOver = false
  /** The last index of an interrupted batch, until it is sent again. */
  #batchTo: number | undefined

  constructor(
    private readonly services: WebhookDependencies,
    private readonly input: RunInput,
    private readonly owner: RunOwner
  ) {
    this.#buffer = new BatchBuffer(input.name)
    this.#position = input.position
    this.#batchTo = input.batchTo
    this.#actor = createActor(
      deliveryMachine({
        post: (batch, signal) => this.#post(batch, signal),
        waitAfter: (attempts, retryAfter) => this.#waitAfter(attempts, retryAfter),
        onDelivered: ({ to }) => {
          this.owner.onDelivered()
          this.#keep(to)
        },
        onFailed: (failure, wait) => this.owner.onFailed(failure, wait),
        giveUp: failure => this.#giveUp(failure),
        disable: () => this.#disable(),
        onIdle: () => {
          this.#isIdle = true
          this.#next()
        }
      }),
      { clock: services.timers }
    )
    this.#actor.subscribe({
      error: error => services.logger.error({ err: error, cursor: input.name }, 'a webhook failed')
    })
  }

  get isWaiting(): boolean {
    return this.#actor.getSnapshot().value === 'waiting'
  }

  start(): void {
    const { subscription, position, owner } = this.input
    this.#actor.start()
    const opening = webhookOpening(subscription, position + 1, owner.secret)
    this.services.streams.open(opening, owner.authority, listener => this.#open(listener))
  }

  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#actor.send({ type: 'Stop' })
    this.#sink?.destroy()
  }

  checkPosition(): void {
    if (!this.#isOver && this.services.positions.of(this.input.name) !== this.#position) this.#end('moved')
  }

  #open(listener: SinkListener): WebhookSink {
    const owner = {
      limits: () => this.#limits,
      onWritten: () => this.#next(),
      onEnded: (code: number, message: string) => {
        this.stop()
        this.owner.onEnded(code, message)
      }
    }
    return (this.#sink = new WebhookSink(this.#buffer, owner, listener))
  }

  /** An interrupted batch must be buffered completely, whatever the limits are now. */
  get #limits(): BatchLimits {
    if (this.#batchTo !== undefined) return { bytes: Infinity, messages: Infinity }
    return this.services.batchLimits
  }

  #next(): void {
    if (this.#isOver || !this.#isIdle) return
    this.checkPosition()
    if (this.#isOver) return
    if (this.#batchTo === undefined) this.#sendNext()
    else if (this.#buffer.addedTo >= this.#batchTo) this.#sendAgain(this.#batchTo)
    this.#sink?.resume()
  }

  #sendNext(): void {
    const batch = this.#buffer.take(this.#limits)
    if (batch) {
      this.#isIdle = false
      void this.#begin(batch)
    } else if (this.#buffer.addedTo > this.#position) this.#keep(this.#buffer.addedTo)
  }

  /** Repeats an interrupted batch, or skips it if none of it is readable now. */
  #sendAgain(to: number): void {
    this.#batchTo = undefined
    const batch = this.#buffer.takeUpTo(to)
    if (!batch) {
      this.#keep(to)
      this.#sendNext()
      return
    }
    this.#isIdle = false
    this.#actor.send({ type: 'Batch', batch })
  }

  async #begin(batch: Batch): Promise<void> {
    const { name, subscription } = this.input
    // An urgent commit per batch of a webhook of cursor events would trigger the next batch immediately.
    const isUrgent = !subscription.filter.choices.some(({ topic }) => topic === CURSOR_TOPIC)
    try {
      const isBegun = await this.services.positions.startBatch(name, this.#position, {
        to: batch.to,
        isUrgent
      })
      if (!isBegun) this.#end('moved')
      else if (!this.#isOver) this.#actor.send({ type: 'Batch', batch })
    } catch {
      this.#end('unkept')
    }
  }

  async #post({ body, from, to }: Batch, signal: AbortSignal): Promise<Verdict> {
    const { name, url, secret } = this.input
    return this.services.inTurn(async () => {
      this.#checkRights()
      if (this.#isOver || signal.aborted) return STALE
      const { timeout } = this.services.settings
      const verdict = await this.services.traced({ cursor: name, from, to, url }, () =>
        this.services.http.post({ url, secret, body, timeout }, signal)
      )
      if (!signal.aborted) this.services.countRequest(verdict.outcome)
      return verdict
    })
  }

  #checkRights(): void {
    const { views, clock } = this.services
    const { secret, authority } = this.input.owner
    const now = views.resolver.resolve(secret, clock.now())
    if (!this.#isOver && now?.authorizer !== authority.authorizer) this.#end('rights')
  }

  #waitAfter(attempts: number, retryAfter: number | undefined): number | undefined {
    const { attempts: most, retry_min: least, retry_max: longest } = this.services.settings
    if (attempts >= most) return undefined
    const delay = retryDelay(attempts, { min: least, max: longest }, Math.random())
    return Math.max(delay, Math.min(retryAfter ?? 0, longest))
  }

  /** Moves the cursor. The next batch does not wait for it: a crash repeats batches, and skips none. */
  #keep(to: number): void {
    const move = this.services.positions.moveFrom(this.input.name, this.#position, to)
    this.#position = to
    this.#stored = move.then(
      isMoved => isMoved || this.#end('moved'),
      () => this.#end('unkept')
    )
  }

  async #giveUp({ batch: { from, to }, reason }: Failure): Promise<void> {
    const { name } = this.input
    await this.#stored
    this.checkPosition()
    if (this.#isOver) return
    const before = this.#position
    this.#position = to
    try {
      const skip = this.services.command('SkipDeadLetter', { name, from, to, reason }, [from, to])
      await this.services.system.ask(cursorRef(name), skip)
    } catch (error) {
      this.#position = before
      throw error
    }
  }

  async #disable(): Promise<void> {
    const { name } = this.input
    const reason = 'answered 410: the receiver unsubscribes'
    await this.services.system.ask(cursorRef(name), this.services.command('DisableWebhook', { name, reason }))
  }

  #end(why: 'moved' | 'rights' | 'unkept'): void {
    if (this.#isOver) return
    this.stop()
    this.owner.onOver(why)
  }
}
