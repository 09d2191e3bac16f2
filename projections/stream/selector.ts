// What one subscription and one authorizer let through of a commit.
import type { Event } from '../../events/envelope.js'
import type { EventKind } from '../../events/stored.js'
import type { Authorizer } from '../acl/authorizer.js'
import { MAX_MATCH_WORK } from '../language/pattern.js'
import { auditLine, isAudited } from './stored-message.js'
import type { StreamCommit, BufferAllocator } from './stored-message.js'
import { ALL_TENANCIES } from './required-permissions.js'
import type { Subscription } from './subscription.js'
import { isTopic, canSeeTopic, visibleEvent } from './topics.js'

/** How much there is to be looked at. */
export interface WorkEstimate {
  /** Characters of the events of a commit. */
  readonly size: number
  /** Without their payloads. */
  readonly headSize: number
}

/** The thread that serves all streams evaluates expressions for so many steps at once; that takes some ms at most. */
const MOST_STEPS = 2 * MAX_MATCH_WORK
const NONE: ReadonlySet<string> = new Set()

export class Selector {
  #settled: { readonly kinds: readonly EventKind[]; readonly topics: ReadonlySet<string> } | undefined

  constructor(
    readonly subscription: Subscription,
    readonly authorizer: Authorizer
  ) {}

  /** Steps that an expression takes for a commit, in parts of what may be taken at once. */
  costOf(message: WorkEstimate): number {
    const { expression } = this.subscription
    if (!expression || expression.weight === 0) return 0
    const characters = expression.looksIntoPayload ? message.size : message.headSize
    return (expression.weight * characters) / MOST_STEPS
  }

  /**
   * The commit as whoever subscribed may see it, ready for the wire; undefined when none of its events are for them.
   * @param room see `Line.part`
   * @param settled see `settled`; what its events are of must be among those kinds
   * @throws UnfitFilter
   */
  frame(line: StreamCommit, room?: BufferAllocator, settled: ReadonlySet<string> = NONE): Buffer | undefined {
    const { framing, meta, audit } = this.subscription
    if (audit && !isAudited(audit, line)) return undefined
    const selected: Event[] = []
    for (const event of line.events) {
      const seen = settled.has(event.Topic) ? event : this.#select(event, line.index)
      if (seen) selected.push(seen)
    }
    const bytes = audit
      ? auditLine(audit, line, selected)
      : line.part(selected, meta ? 'meta' : 'plain', room)
    return bytes && framing.message(bytes, line.index)
  }

  /** How many events of a commit the caller lacks a permission for, where the audit counts them; otherwise 0. */
  withheldIn({ events }: StreamCommit, settled: ReadonlySet<string> = NONE): number {
    const { audit, filter, sees } = this.subscription
    if (!audit?.countsWithheld) return 0
    return events.filter(
      event =>
        !settled.has(event.Topic) &&
        isTopic(event.Topic) &&
        filter.matches(event) &&
        !visibleEvent(this.authorizer, event, sees)
    ).length
  }

  /** The topics among some kinds of which every event is selected: whatever it is about, and so without a look at it. */
  settled(kinds: readonly EventKind[]): ReadonlySet<string> {
    if (this.#settled?.kinds !== kinds) {
      const open = new Set(kinds.filter(kind => !this.#selectsAll(kind)).map(({ Topic }) => Topic))
      const topics = kinds.map(({ Topic }) => Topic).filter(topic => !open.has(topic))
      this.#settled = { kinds, topics: new Set(topics) }
    }
    return this.#settled.topics
  }

  #selectsAll(kind: EventKind): boolean {
    const { filter, expression, sees } = this.subscription
    return (
      this.#isOfTenancy(kind) &&
      filter.matchesAll(kind) &&
      canSeeTopic(this.authorizer, kind, sees) &&
      expression === undefined
    )
  }

  #isOfTenancy({ Namespace, Partition }: EventKind): boolean {
    const { partition, namespace } = this.subscription.tenancy
    return (
      (Namespace === '' || namespace === ALL_TENANCIES || Namespace === namespace) &&
      (partition === ALL_TENANCIES || Partition === partition)
    )
  }

  /** The event as the caller sees it; undefined where it is not selected. A field that the caller may not read selects nothing. */
  #select(event: Event, index: number): Event | undefined {
    const { filter, expression, sees } = this.subscription
    if (!this.#isOfTenancy(event) || !filter.matches(event)) return undefined
    const seen = visibleEvent(this.authorizer, event, sees)
    if (!seen || (seen !== event && !filter.matches(seen))) return undefined
    return expression === undefined || expression.passes(seen, index) ? seen : undefined
  }
}
