// What one subscription and one authorizer let through of a commit.
import type { Event } from '../../events/envelope.js'
import type { Authorizer } from '../acl/authorizer.js'
import { ALL } from './needs.js'
import type { Subscription } from './subscription.js'
import { sees } from './topics.js'

/** A commit that becomes a line of the stream. */
export interface Line<E extends Event = Event> {
  readonly index: number
  readonly events: readonly E[]
  /** The line with some of its events, in their order; undefined for none. */
  part(events: readonly E[]): Buffer | undefined
}

export class Selector {
  readonly subscription: Subscription
  readonly authorizer: Authorizer

  constructor(subscription: Subscription, authorizer: Authorizer) {
    this.subscription = subscription
    this.authorizer = authorizer
  }

  /** The commit as whoever subscribed may see it, ready for the wire; undefined when none of its events are for them. */
  frame<E extends Event>(line: Line<E>): Buffer | undefined {
    const bytes = line.part(line.events.filter(event => this.#selects(event, line.index)))
    return bytes && this.subscription.framing.message(bytes, line.index)
  }

  #selects(event: Event, index: number): boolean {
    const { filter, tenancy, expression, sees: rule } = this.subscription
    const { partition, namespace } = tenancy
    return (
      (event.Namespace === '' || namespace === ALL || event.Namespace === namespace) &&
      (partition === ALL || event.Partition === partition) &&
      filter.matches(event) &&
      sees(this.authorizer, event, rule === 'whole') &&
      (expression === undefined || expression.passes(event, index))
    )
  }
}
