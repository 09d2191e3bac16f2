// A stream on its way to a webhook, from one place of the cursor on and under one set of rights. When either is another,
// it is over, and whoever holds it begins another one.
import { createActor } from 'xstate'
import { causeOf, SERVER } from '../../actors/command.js'
import { cursorRef } from '../../actors/cursor.js'
import {
  deliveryMachine,
  type Batch,
  type DeliveryActor,
  type Failure
} from '../../actors/webhook/delivery-machine.js'
import { retryDelay } from '../../actors/webhook/retry.js'
import type { Verdict } from '../../actors/webhook/webhook-http.js'
import { CURSOR_TOPIC } from '../../events/cursor.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { Authority } from '../../projections/acl/resolver.js'
import type { Subscription } from '../../projections/stream/subscription.js'
import type { StreamOpening } from '../stream/opened-stream.js'
import type { SinkListener } from '../stream/sink.js'
import { BatchBuffer, type BatchLimits } from './batch-buffer.js'
import type { WebhookDependencies } from './webhook-dependencies.js'
import { WebhookSink } from './webhook-sink.js'

/** Where a run begins, and what it does. */
interface RunInput {
  /** Name of the cursor. */
  readonly name: string
  readonly subscription: Subscription
  /** Everything up to this index was taken. */
  readonly position: number
  /** The last index of the batch that was begun there; undefined for none. */
  readonly batchTo: number | undefined
  readonly url: string
  /** That the deliveries are signed with. */
  readonly secret: string
  /** The secret of the cursor's owner, and its rights. */
  readonly owner: { readonly secret: string | undefined; readonly authority: Authority }
}

/** What whoever holds a run is told. */
interface RunOwner {
  onDelivered(): void
  /** An attempt failed; the next one follows in `wait` milliseconds, if any. */
  onFailed(failure: Failure, wait: number | undefined): void
  /** The cursor stands elsewhere, the rights are others, or the log does not keep what was done. */
  onOver(why: 'moved' | 'rights' | 'unkept'): void
  /** The stream was ended by the server. */
  onEnded(code: number, message: string): void
}

const STALE: Verdict = { outcome: 'failed', reason: 'the delivery begins anew' }

export class DeliveryRun {
  readonly #backlog: BatchBuffer
  readonly #actor: DeliveryActor
  #sink: WebhookSink | undefined
  /** Everything up to this index was taken. */
  #position: number
  #kept: Promise<unknown> = Promise.resolve()
  /** Whether the process takes a batch. It is told in its own steps, before its state can be read. */
  #isIdle = false
  #isOver = false
  /** The last index of the batch that was begun before this run, as long as it is not sent again. */
  #batchTo: number | undefined

  constructor(
    private readonly parts: WebhookDependencies,
    private readonly input: RunInput,
    private readonly owner: RunOwner
  ) {
    this.#backlog = new BatchBuffer(input.name)
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
      { clock: parts.timers }
    )
    this.#actor.subscribe({
      error: error => parts.logger.error({ err: error, cursor: input.name }, 'a webhook failed')
    })
  }

  /** Whether it waits for the next attempt. */
  get isWaiting(): boolean {
    return this.#actor.getSnapshot().value === 'waiting'
  }

  start(): void {
    const { subscription, position, owner } = this.input
    this.#actor.start()
    const opening: StreamOpening = {
      subscription,
      start: position + 1,
      snapshot: false,
      progress: true,
      secret: owner.secret,
      address: '',
      requestId: '',
      wire: 'webhook'
    }
    this.parts.streams.open(opening, owner.authority, listener => this.#open(listener))
  }

  /** Ends it, with what is under way. */
  stop(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#actor.send({ type: 'Stop' })
    this.#sink?.destroy()
  }

  /** Looks whether the cursor still stands where this run has it. */
  look(): void {
    if (!this.#isOver && this.parts.positions.of(this.input.name) !== this.#position) this.#end('moved')
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
    return (this.#sink = new WebhookSink(this.#backlog, owner, listener))
  }

  /** The batch that was begun is taken whole, whatever the limits are now. */
  get #limits(): BatchLimits {
    if (this.#batchTo !== undefined) return { bytes: Infinity, messages: Infinity }
    const { batch_bytes: bytes, batch_messages: messages } = this.parts.settings
    return { bytes, messages }
  }

  /** Sends what waits, if nothing is under way. */
  #next(): void {
    if (this.#isOver || !this.#isIdle) return
    this.look()
    if (this.#isOver) return
    if (this.#batchTo === undefined) this.#sendNext()
    else if (this.#backlog.addedTo >= this.#batchTo) this.#sendAgain(this.#batchTo)
    this.#sink?.look()
  }

  #sendNext(): void {
    const batch = this.#backlog.take(this.#limits)
    if (batch) {
      this.#isIdle = false
      void this.#begin(batch)
    } else if (this.#backlog.addedTo > this.#position) this.#keep(this.#backlog.addedTo)
  }

  /** Sends the batch that was begun; one of which nothing may be seen now is passed over. */
  #sendAgain(to: number): void {
    this.#batchTo = undefined
    const batch = this.#backlog.takeUpTo(to)
    if (!batch) {
      this.#keep(to)
      this.#sendNext()
      return
    }
    this.#isIdle = false
    this.#actor.send({ type: 'Batch', batch })
  }

  /** Stores where a batch ends before its first attempt. */
  async #begin(batch: Batch): Promise<void> {
    const { name, subscription } = this.input
    // A webhook of cursor events is sent this commit as well, and would otherwise cause the next one at once.
    const isUrgent = !subscription.filter.choices.some(({ topic }) => topic === CURSOR_TOPIC)
    try {
      const isBegun = await this.parts.positions.startBatch(name, this.#position, { to: batch.to, isUrgent })
      if (!isBegun) this.#end('moved')
      else if (!this.#isOver) this.#actor.send({ type: 'Batch', batch })
    } catch {
      this.#end('unkept')
    }
  }

  async #post({ body, from, to }: Batch, signal: AbortSignal): Promise<Verdict> {
    const { name, url, secret } = this.input
    return this.parts.inTurn(async () => {
      this.#checkRights()
      if (this.#isOver || signal.aborted) return STALE
      const { timeout } = this.parts.settings
      const verdict = await this.parts.traced({ cursor: name, from, to, url }, () =>
        this.parts.http.post({ url, secret, body, timeout }, signal)
      )
      if (!signal.aborted) this.parts.countRequest(verdict.outcome)
      return verdict
    })
  }

  /** What waits was selected with the rights of before: with others, it is selected anew. */
  #checkRights(): void {
    const { views, clock } = this.parts
    const { secret, authority } = this.input.owner
    const now = views.resolver.resolve(secret, clock.now())
    if (!this.#isOver && now?.authorizer !== authority.authorizer) this.#end('rights')
  }

  #waitAfter(attempts: number, retryAfter: number | undefined): number | undefined {
    const { attempts: most, retry_min: least, retry_max: longest } = this.parts.settings
    if (attempts >= most) return undefined
    const delay = retryDelay(attempts, { least, most: longest }, Math.random())
    return Math.max(delay, Math.min(retryAfter ?? 0, longest))
  }

  /** Moves the cursor. What follows is sent meanwhile: a crash repeats what was taken, and leaves out nothing. */
  #keep(to: number): void {
    const move = this.parts.positions.moveFrom(this.input.name, this.#position, to)
    this.#position = to
    this.#kept = move.then(
      isMoved => isMoved || this.#end('moved'),
      () => this.#end('unkept')
    )
  }

  async #giveUp({ batch: { from, to }, reason }: Failure): Promise<void> {
    const { system, clock } = this.parts
    const { name } = this.input
    await this.#kept
    this.look()
    if (this.#isOver) return
    const before = this.#position
    this.#position = to
    try {
      await system.ask(cursorRef(name), {
        name: 'SkipDeadLetter',
        tenancy: DEFAULT_TENANCY,
        data: { name, from, to, reason },
        caller: SERVER,
        at: clock.now(),
        ...causeOf([from, to])
      })
    } catch (error) {
      this.#position = before
      throw error
    }
  }

  async #disable(): Promise<void> {
    const { system, clock } = this.parts
    const { name } = this.input
    await system.ask(cursorRef(name), {
      name: 'DisableWebhook',
      tenancy: DEFAULT_TENANCY,
      data: { name, reason: 'answered 410: the receiver wants no more' },
      caller: SERVER,
      at: clock.now()
    })
  }

  #end(why: 'moved' | 'rights' | 'unkept'): void {
    if (this.#isOver) return
    this.stop()
    this.owner.onOver(why)
  }
}
