// What one filter, tenancy and authorizer let through: worked out once and shared by all streams that have them.
import type { Event } from '../../events/envelope.js'
import type { Authorizer } from '../acl/authorizer.js'
import type { Message } from './message.js'
import { ALL } from './needs.js'
import type { RecentMessages } from './recent.js'
import type { Subscription } from './subscription.js'
import { sees } from './topics.js'

/** Bytes for the wire, if any message was selected, and the index after the last one looked at. */
export interface Taken {
  readonly bytes: Buffer | undefined
  readonly next: number
}

/** A message is looked at once for all streams that stand at the same place. */
export class Selection {
  readonly #subscription: Subscription
  readonly #authorizer: Authorizer
  readonly #recent: RecentMessages
  readonly #batchBytes: number
  readonly #taken = new Map<number, Taken>()
  #takenAt = 0

  /** @param batchBytes how many bytes are taken at once, but for a single message that is larger */
  constructor(
    subscription: Subscription,
    authorizer: Authorizer,
    recent: RecentMessages,
    batchBytes: number
  ) {
    this.#subscription = subscription
    this.#authorizer = authorizer
    this.#recent = recent
    this.#batchBytes = batchBytes
  }

  /** The message as this selection sees it; undefined when none of its events are for it. */
  frame(message: Message): Buffer | undefined {
    const line = message.part(message.events.filter(event => this.#selects(event, message.index)))
    return line && this.#subscription.framing.message(line, message.index)
  }

  /**
   * What is selected from the recent messages from `from` on, up to the index `to`, in one piece of bounded size.
   * The first of them must be there.
   */
  take(from: number, to: number): Taken {
    if (to !== this.#recent.newest) return this.#collect(from, to)
    if (this.#takenAt !== to) {
      this.#taken.clear()
      this.#takenAt = to
    }
    let taken = this.#taken.get(from)
    if (!taken) this.#taken.set(from, (taken = this.#collect(from, to)))
    return taken
  }

  #collect(from: number, to: number): Taken {
    const parts: Buffer[] = []
    let bytes = 0
    let next = from
    for (; next <= to; next++) {
      const message = this.#recent.get(next)
      if (!message) break
      const framed = this.frame(message)
      if (!framed) continue
      if (bytes > 0 && bytes + framed.length > this.#batchBytes) break
      parts.push(framed)
      bytes += framed.length
    }
    return { bytes: parts.length > 1 ? Buffer.concat(parts) : parts[0], next }
  }

  #selects(event: Event, index: number): boolean {
    const { filter, tenancy, expression } = this.#subscription
    const { partition, namespace } = tenancy
    return (
      (event.Namespace === '' || namespace === ALL || event.Namespace === namespace) &&
      (partition === ALL || event.Partition === partition) &&
      filter.matches(event) &&
      sees(this.#authorizer, event) &&
      (expression === undefined || expression.passes(event, index))
    )
  }
}
