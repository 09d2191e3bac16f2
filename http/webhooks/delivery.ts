// One cursor that is sent to a URL: from where it stands, with the rights that its owner has now, as long as it has a URL.
import { SERVER } from '../../actors/command.js'
import { cursorRef } from '../../actors/cursor.js'
import type { ClaimLoss, CursorClaim, CursorReader } from '../../actors/processes/cursor-leases.js'
import { Refusal } from '../../actors/refusal.js'
import type { Failure } from '../../actors/webhook/delivery-machine.js'
import type { Cursor } from '../../events/cursor.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { formatTime } from '../../events/time.js'
import type { Authority } from '../../projections/acl/resolver.js'
import type { WatchKey } from '../../projections/watch.js'
import { newlineDelimited } from '../../projections/stream/framing.js'
import { cursorValues } from '../stream/cursor-values.js'
import { subscriptionOf } from '../stream/subscription-parsing.js'
import { missingPermission } from '../stream/selections.js'
import { DeliveryRun } from './delivery-run.js'
import type { WebhookDependencies } from './webhook-dependencies.js'

/** What a webhook does now. It begins anew with the server. */
export interface DeliveryStatus {
  /** `waiting`: for the next attempt; `stopped`: until what `LastError` tells of is different. */
  readonly State: 'delivering' | 'waiting' | 'stopped'
  /** Attempts of the present batch that have failed. */
  readonly Attempts: number
  readonly NextAttemptAt?: string
  readonly LastError?: string
  readonly LastErrorAt?: string
  readonly LastDeliveredAt?: string
}

/** Whatever changes in these sets may change what a token grants. */
const LINKED: readonly WatchKey[] = ['policies', 'roles', 'namespaces']
/** How long to wait before what the server itself hinders is tried again, in milliseconds. */
const AGAIN_MS = 1000
const GONE = 410

/** The secret and the rights of a cursor's owner, or why there are none. */
type Owner =
  { readonly secret: string | undefined; readonly authority: Authority } | { readonly lack: string }

export class Delivery implements CursorReader {
  #claim: CursorClaim | undefined
  #isHeld = false
  #run: DeliveryRun | undefined
  /** Counts the beginnings, so that one that was overtaken comes to nothing. */
  #beginnings = 0
  #status: DeliveryStatus = { State: 'delivering', Attempts: 0 }
  #stopWatching = (): void => {}

  /** @param name that of a cursor with a URL */
  constructor(
    private readonly parts: WebhookDependencies,
    private readonly name: string
  ) {}

  get status(): DeliveryStatus {
    const { State, ...told } = this.#status
    return { State: this.#run?.isWaiting ? 'waiting' : State, ...told }
  }

  start(): void {
    const { views, leases } = this.parts
    const cursor = views.cursors.get(this.name)
    this.#claim = cursor && leases.claim(cursor, this)
  }

  stop(): void {
    this.#halt()
    this.#isHeld = false
    this.#claim?.release()
  }

  /** Looks whether somebody else moved the cursor. */
  look(): void {
    this.#run?.look()
  }

  /** Begins anew: with another URL or secret, or from another place. */
  begin(): void {
    this.#halt()
    void this.#beginWhenSettled(this.#beginnings)
  }

  // As the reader of its cursor.

  /** As long as the receiver is tried, the cursor is its. */
  isTaking(): boolean {
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

  // One beginning.

  /** What it begins with may rest on commits that a crash could still take back. */
  async #beginWhenSettled(beginning: number): Promise<void> {
    const { committer, logger } = this.parts
    try {
      await committer.readable()
      await committer.durable()
      // What was taken could not be kept.
      if (!committer.isWritable) this.#again(beginning)
      else if (beginning === this.#beginnings && this.#isHeld) await this.#open(beginning)
    } catch (error) {
      // A refusal says that the log takes nothing.
      if (!(error instanceof Refusal)) logger.error({ err: error, cursor: this.name }, 'a webhook failed')
      this.#again(beginning)
    }
  }

  async #open(beginning: number): Promise<void> {
    const { views, positions, log } = this.parts
    const cursor = views.cursors.get(this.name)
    const secret = views.cursors.secretOf(this.name)
    const position = positions.of(this.name)
    if (cursor?.URL === undefined || secret === undefined || position === undefined) return
    const owner = this.#ownerOf(cursor)
    if ('lack' in owner) return this.#rest(owner.lack, cursor.Owner)
    const subscription = subscriptionOf({ values: cursorValues(cursor) }, newlineDelimited)
    const missing = missingPermission(subscription, owner.authority.authorizer)
    if (missing)
      return this.#rest(`the owner of the cursor lacks permission '${missing.permission}'`, cursor.Owner)
    if (position + 1 < log.firstIndex) {
      await this.#skip(position + 1, log.firstIndex - 1)
      if (beginning === this.#beginnings) this.begin()
      return
    }
    this.#status = { ...this.#status, State: 'delivering', Attempts: 0 }
    const batchTo = cursor.Batch?.From === position + 1 ? cursor.Batch.To : undefined
    const input = { name: this.name, subscription, position, batchTo, url: cursor.URL, secret, owner }
    this.#run = new DeliveryRun(this.parts, input, {
      onDelivered: () => this.#onDelivered(),
      onFailed: (failure, wait) => this.#onFailed(failure, wait),
      onOver: why => (why === 'unkept' ? this.#again(this.#beginnings) : this.begin()),
      onEnded: (code, message) => this.#onEnded(code, message, cursor.Owner)
    })
    this.#run.start()
  }

  #halt(): void {
    this.#beginnings++
    this.#stopWatching()
    this.#run?.stop()
    this.#run = undefined
  }

  #again(beginning: number): void {
    this.parts.timers.setTimeout(() => {
      if (beginning === this.#beginnings && this.#isHeld) this.begin()
    }, AGAIN_MS)
  }

  #ownerOf({ Owner }: Cursor): Owner {
    const { views, clock } = this.parts
    const secret = views.tokens.get(Owner)?.secret
    if (views.settings.aclEnabled && secret === undefined) return { lack: 'the owner of the cursor is gone' }
    const authority = views.resolver.resolve(secret, clock.now())
    return authority ? { secret, authority } : { lack: 'the token of the owner of the cursor has expired' }
  }

  /** Sends nothing until the rights of the owner are others. */
  #rest(reason: string, owner: string): void {
    this.#tell(reason)
    this.#status = { ...this.#status, State: 'stopped' }
    this.parts.logger.warn({ cursor: this.name, reason }, 'a webhook stopped')
    const keys = [`token/${owner.toLowerCase()}`, ...LINKED]
    this.#stopWatching = this.parts.views.watch.wait(keys, () => this.begin())
  }

  /** The log has let go of these commits before they were sent. */
  async #skip(from: number, to: number): Promise<void> {
    const { system, clock } = this.parts
    const reason = `the log keeps nothing before commit ${to + 1}`
    await system.ask(cursorRef(this.name), {
      name: 'SkipDeadLetter',
      tenancy: DEFAULT_TENANCY,
      data: { name: this.name, from, to, reason },
      caller: SERVER,
      at: clock.now()
    })
    this.parts.logger.warn({ cursor: this.name, from, to, reason }, 'a webhook left out commits')
  }

  // What becomes of the run.

  #onDelivered(): void {
    const { NextAttemptAt: _, ...status } = this.#status
    this.#status = { ...status, Attempts: 0, LastDeliveredAt: this.#now() }
  }

  #onFailed({ batch: { from, to }, reason, attempts }: Failure, wait: number | undefined): void {
    this.#tell(reason)
    const { NextAttemptAt: _, ...status } = this.#status
    if (wait !== undefined) {
      const NextAttemptAt = formatTime(this.parts.clock.now() + wait)
      this.#status = { ...status, Attempts: attempts, NextAttemptAt }
      return
    }
    this.#status = { ...status, Attempts: 0 }
    this.parts.logger.warn(
      { cursor: this.name, from, to, attempts, reason },
      'a webhook was given up for a batch, which counts as a dead letter'
    )
  }

  #onEnded(code: number, message: string, owner: string): void {
    this.#halt()
    if (code === 403) this.#rest(`the rights of the owner of the cursor have changed: ${message}`, owner)
    else if (code === GONE) this.begin()
    else this.#again(this.#beginnings)
  }

  #tell(error: string): void {
    this.#status = { ...this.#status, LastError: error, LastErrorAt: this.#now() }
  }

  #now(): string {
    return formatTime(this.parts.clock.now())
  }
}
