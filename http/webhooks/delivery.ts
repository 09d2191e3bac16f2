// Delivers one cursor to a URL, from its position and with the current permissions of its owner.
import { cursorRef } from '../../actors/cursor.js'
import type { ClaimLoss, CursorClaim, CursorReader } from '../../actors/processes/cursor-leases.js'
import { Refusal } from '../../actors/refusal.js'
import type { Failure } from '../../actors/webhook/delivery-machine.js'
import { formatTime } from '../../events/time.js'
import { cursorOwner } from '../stream/cursor-access.js'
import { subscriptionOfCursor } from '../stream/cursor-values.js'
import { PERMISSION_KEYS } from '../stream/live-authority.js'
import { DeliveryRun } from './delivery-run.js'
import type { WebhookDependencies } from './webhook-dependencies.js'

export interface DeliveryStatus {
  /** `waiting` for the next attempt; `stopped` until the cause of `LastError` is resolved. */
  readonly State: 'delivering' | 'waiting' | 'stopped'
  readonly Attempts: number
  readonly NextAttemptAt?: string
  readonly LastError?: string
  readonly LastErrorAt?: string
  readonly LastDeliveredAt?: string
}

/** Delay in ms before another attempt after a failure of this server. */
const RESTART_MS = 1000
const GONE = 410

export class Delivery implements CursorReader {
  #claim: CursorClaim | undefined
  #isHeld = false
  #run: DeliveryRun | undefined
  /** Number of starts, by which outdated ones are detected. */
  #starts = 0
  #status: DeliveryStatus = { State: 'delivering', Attempts: 0 }
  #stopWatching = (): void => {}

  constructor(
    private readonly services: WebhookDependencies,
    private readonly name: string
  ) {}

  get status(): DeliveryStatus {
    const { State, ...status } = this.#status
    return { State: this.#run?.isWaiting ? 'waiting' : State, ...status }
  }

  start(): void {
    const { views, leases } = this.services
    const cursor = views.cursors.get(this.name)
    this.#claim = cursor && leases.claim(cursor, this)
  }

  stop(): void {
    this.#halt()
    this.#isHeld = false
    this.#claim?.release()
  }

  checkPosition(): void {
    this.#run?.checkPosition()
  }

  /** Restarts with the current URL, secret and position. */
  begin(): void {
    this.#halt()
    void this.#beginWhenDurable(this.#starts)
  }

  /** Holds the lease even if attempts fail. */
  isProcessing(): boolean {
    return true
  }

  onHeld(): void {
    this.#isHeld = true
    this.begin()
  }

  onLost(loss: ClaimLoss): void {
    this.#halt()
    this.#isHeld = false
    if (loss !== 'deleted' && loss !== 'deposed') this.start()
  }

  /** Its input must not depend on commits that are not durable. */
  async #beginWhenDurable(start: number): Promise<void> {
    const { committer, logger } = this.services
    try {
      await committer.readable()
      await committer.durable()
      // The progress could not be stored.
      if (!committer.isWritable) this.#retry(start)
      else if (start === this.#starts && this.#isHeld) await this.#open(start)
    } catch (error) {
      // A refusal means that the log is not writable.
      if (!(error instanceof Refusal)) logger.error({ err: error, cursor: this.name }, 'a webhook failed')
      this.#retry(start)
    }
  }

  async #open(start: number): Promise<void> {
    const { views, positions, log, clock } = this.services
    const cursor = views.cursors.get(this.name)
    const secret = views.cursors.secretOf(this.name)
    const position = positions.of(this.name)
    if (cursor?.URL === undefined || secret === undefined || position === undefined) return
    const subscription = subscriptionOfCursor(cursor)
    const owner = cursorOwner(views, clock.now(), cursor, subscription)
    if ('lack' in owner) return this.#suspend(owner.lack, cursor.Owner)
    if (position + 1 < log.firstIndex) {
      await this.#skip(position + 1, log.firstIndex - 1)
      if (start === this.#starts) this.begin()
      return
    }
    this.#status = { ...this.#status, State: 'delivering', Attempts: 0 }
    const batchTo = cursor.Batch?.From === position + 1 ? cursor.Batch.To : undefined
    const input = { name: this.name, subscription, position, batchTo, url: cursor.URL, secret, owner }
    this.#run = new DeliveryRun(this.services, input, {
      onDelivered: () => this.#onDelivered(),
      onFailed: (failure, wait) => this.#onFailed(failure, wait),
      onOver: why => (why === 'unkept' ? this.#retry(this.#starts) : this.begin()),
      onEnded: (code, message) => this.#onEnded(code, message, cursor.Owner)
    })
    this.#run.start()
  }

  #halt(): void {
    this.#starts++
    this.#stopWatching()
    this.#run?.stop()
    this.#run = undefined
  }

  #retry(start: number): void {
    this.services.timers.setTimeout(() => {
      if (start === this.#starts && this.#isHeld) this.begin()
    }, RESTART_MS)
  }

  #suspend(reason: string, owner: string): void {
    this.#noteError(reason)
    this.#status = { ...this.#status, State: 'stopped' }
    this.services.logger.warn({ cursor: this.name, reason }, 'a webhook stopped')
    const keys = [`token/${owner.toLowerCase()}`, ...PERMISSION_KEYS]
    this.#stopWatching = this.services.views.watch.wait(keys, () => this.begin())
  }

  async #skip(from: number, to: number): Promise<void> {
    const reason = `the log keeps nothing before commit ${to + 1}`
    const skip = this.services.command('SkipDeadLetter', { name: this.name, from, to, reason })
    await this.services.system.ask(cursorRef(this.name), skip)
    this.services.logger.warn({ cursor: this.name, from, to, reason }, 'a webhook left out commits')
  }

  #onDelivered(): void {
    const { NextAttemptAt: _, ...status } = this.#status
    this.#status = { ...status, Attempts: 0, LastDeliveredAt: this.#now() }
  }

  #onFailed({ batch: { from, to }, reason, attempts }: Failure, wait: number | undefined): void {
    this.#noteError(reason)
    const { NextAttemptAt: _, ...status } = this.#status
    if (wait !== undefined) {
      const NextAttemptAt = formatTime(this.services.clock.now() + wait)
      this.#status = { ...status, Attempts: attempts, NextAttemptAt }
      return
    }
    this.#status = { ...status, Attempts: 0 }
    this.services.logger.warn(
      { cursor: this.name, from, to, attempts, reason },
      'a webhook was given up for a batch, which counts as a dead letter'
    )
  }

  #onEnded(code: number, message: string, owner: string): void {
    this.#halt()
    if (code === 403) this.#suspend(`the rights of the owner of the cursor have changed: ${message}`, owner)
    else if (code === GONE) this.begin()
    else this.#retry(this.#starts)
  }

  #noteError(error: string): void {
    this.#status = { ...this.#status, LastError: error, LastErrorAt: this.#now() }
  }

  #now(): string {
    return formatTime(this.services.clock.now())
  }
}
