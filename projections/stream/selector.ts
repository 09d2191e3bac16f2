// What one subscription and one authorizer let through of a commit.
import type { Event } from '../../events/envelope.js'
import type { Authorizer } from '../acl/authorizer.js'
import { MAX_MATCH_WORK } from '../language/pattern.js'
import { auditLine, isAudited } from './audit.js'
import type { Line, Room } from './line.js'
import { ALL } from './needs.js'
import type { Subscription } from './subscription.js'
import { sees } from './topics.js'

/** How much there is to be looked at. */
export interface Sized {
  /** Characters of the events of a commit. */
  readonly size: number
  /** Without their payloads. */
  readonly headSize: number
}

/** The thread that serves all streams evaluates expressions for so many steps at once; that takes some ms at most. */
const MOST_STEPS = 2 * MAX_MATCH_WORK

export class Selector {
  readonly subscription: Subscription
  readonly authorizer: Authorizer

  constructor(subscription: Subscription, authorizer: Authorizer) {
    this.subscription = subscription
    this.authorizer = authorizer
  }

  /** Steps that an expression takes for a commit, in parts of what may be taken at once. */
  costOf(message: Sized): number {
    const { expression } = this.subscription
    if (!expression || expression.weight === 0) return 0
    const characters = expression.looksIntoPayload ? message.size : message.headSize
    return (expression.weight * characters) / MOST_STEPS
  }

  /**
   * The commit as whoever subscribed may see it, ready for the wire; undefined when none of its events are for them.
   * @param room see `Line.part`
   * @throws UnfitFilter
   */
  frame<E extends Event>(line: Line<E>, room?: Room): Buffer | undefined {
    const { framing, meta, audit } = this.subscription
    if (audit && !isAudited(audit, line)) return undefined
    const selected = line.events.filter(event => this.#selects(event, line.index))
    const bytes = audit
      ? auditLine(audit, line, selected)
      : line.part(selected, meta ? 'meta' : 'plain', room)
    return bytes && framing.message(bytes, line.index)
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
