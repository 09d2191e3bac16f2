// Sends a range of commits to a webhook again, without moving its cursor.
import { inject, Lifecycle, scoped } from 'tsyringe'
import { cursorRef } from '../../actors/cursor.js'
import type { Batch } from '../../actors/webhook/delivery-machine.js'
import { Refusal } from '../../actors/refusal.js'
import type { Cursor } from '../../events/cursor.js'
import type { LogReader } from '../../events/log/log.js'
import type { Authority } from '../../projections/acl/resolver.js'
import { EVENT_LOG } from '../../server/settings/ports.js'
import { noLongerRetained } from '../stream/control-lines.js'
import { cursorOwner } from '../stream/cursor-access.js'
import { subscriptionOfCursor } from '../stream/cursor-values.js'
import type { StreamOpening } from '../stream/opened-stream.js'
import { PollSink } from '../stream/wires/poll-sink.js'
import { webhookOpening } from './delivery-run.js'
import { WebhookDependencies } from './webhook-dependencies.js'
import { BatchBuffer } from './webhook-sink.js'

/** Indexes of the first and the last commit. */
export interface CommitRange {
  readonly from: number
  readonly to: number
}

interface RedeliveryResult {
  /** Messages that the receiver accepted. */
  readonly messages: number
  /** Everything up to this index was accepted. */
  readonly to: number
  /** Why the receiver did not accept the next request. */
  readonly reason?: string
}

/** Requests of one redelivery; the caller continues after the last one. */
const MAX_REQUESTS = 64
const NEWLINE = Buffer.from('\n')

type Post = (batch: Batch) => Promise<string | undefined>

@scoped(Lifecycle.ContainerScoped)
export class Redelivery {
  constructor(
    private readonly services: WebhookDependencies,
    @inject(EVENT_LOG) private readonly log: LogReader
  ) {}

  /**
   * Sends the commits of a range as its webhook would, with the permissions of its owner, until a request fails.
   * Removes the dead letters that were accepted completely, when that is on disk.
   * @throws Refusal `conflict` for a cursor without a URL, or without an owner; `gone`; `unavailable`
   */
  async send(cursor: Cursor, range: CommitRange, signal: AbortSignal): Promise<RedeliveryResult> {
    const { URL: url, Name: name } = cursor
    const secret = this.services.views.cursors.secretOf(name)
    if (url === undefined || secret === undefined)
      throw new Refusal('cursor.conflict', `Cursor "${name}" has no URL: nothing is sent`)
    if (range.from < this.log.firstIndex)
      throw new Refusal('history.pruned', noLongerRetained(range.from, this.log.firstIndex).message)
    const post = async ({ body }: Batch): Promise<string | undefined> => {
      const { timeout } = this.services.settings
      const verdict = await this.services.inTurn(() =>
        this.services.http.post({ url, secret, body, timeout }, signal)
      )
      this.services.countRequest(verdict.outcome)
      if (verdict.outcome === 'delivered') return undefined
      return verdict.outcome === 'gone' ? 'answered 410' : verdict.reason
    }
    const result = await this.#sendAll(cursor, range, post)
    if (result.to >= range.from) await this.#forget(name, { from: range.from, to: result.to })
    return result
  }

  async #sendAll(cursor: Cursor, { from, to }: CommitRange, post: Post): Promise<RedeliveryResult> {
    let [next, messages] = [from, 0]
    for (let requests = 0; next <= to && requests < MAX_REQUESTS;) {
      const { buffer, readTo } = await this.#read(cursor, { from: next, to })
      const { batchLimits } = this.services
      for (let batch = buffer.take(batchLimits); batch; batch = buffer.take(batchLimits)) {
        const reason = await post(batch)
        if (reason !== undefined) return { messages, to: next - 1, reason }
        requests++
        messages += batch.messages
        next = batch.to + 1
      }
      next = Math.max(next, readTo + 1)
    }
    return { messages, to: next - 1 }
  }

  /** Reads the next messages of a range, as many as one piece of a stream has. */
  async #read(
    cursor: Cursor,
    { from, to }: CommitRange
  ): Promise<{ readonly buffer: BatchBuffer; readonly readTo: number }> {
    const buffer = new BatchBuffer(cursor.Name)
    const { streams } = this.services
    const sink = new PollSink(false)
    const { opening, authority } = this.#openingOf(cursor, { from, to })
    streams.open(opening, authority, listener => sink.for(listener))
    const outcome = await sink.outcome
    if ('code' in outcome) throw new Refusal('cursor.conflict', outcome.message)
    for (const line of outcome.lines) buffer.add(Buffer.concat([line, NEWLINE]))
    return { buffer, readTo: outcome.lines.length > 0 ? outcome.index : to }
  }

  /** @throws Refusal `conflict` */
  #openingOf(
    cursor: Cursor,
    { from, to }: CommitRange
  ): { readonly opening: StreamOpening; readonly authority: Authority } {
    const { views, clock } = this.services
    const subscription = subscriptionOfCursor(cursor)
    const owner = cursorOwner(views, clock.now(), cursor, subscription)
    if ('lack' in owner) throw new Refusal('cursor.conflict', `Nothing is sent: ${owner.lack}`)
    const opening = { ...webhookOpening(subscription, from, owner.secret), end: { index: to } }
    return { opening, authority: owner.authority }
  }

  async #forget(name: string, { from, to }: CommitRange): Promise<void> {
    const { services } = this
    await services.system.ask(cursorRef(name), services.command('ForgetDeadLetters', { name, from, to }))
  }
}
