import { DEFAULT_TENANCY, type Commit, type Event } from '../events/envelope.js'
import { isLegalHoldEvent, LEGAL_HOLD_TOPIC, type LegalHold, legalHoldEvents } from '../events/legal-hold.js'
import { parseTime } from '../events/time.js'
import { type Projection, resourceFact, type Fact } from './projection.js'
import { topicChoiceOf, TopicFilter } from './stream/topic-filter.js'
import { TableProjection } from './table-projection.js'
import type { Watch } from './watch.js'

/** A hold with its parsed scope. */
export class HoldRow {
  /** Epoch ms. */
  readonly from: number
  readonly until: number
  readonly #filter: TopicFilter

  constructor(readonly hold: LegalHold) {
    const { Topics = [], From = '', Until = '' } = hold
    this.from = parseTime(From) ?? -Infinity
    this.until = parseTime(Until) ?? Infinity
    this.#filter = new TopicFilter(Topics.map(topicChoiceOf))
  }

  /** The topics that may be held; undefined for all. */
  get topics(): readonly string[] | undefined {
    const topics = this.#filter.resources.flatMap(({ topic }) => (topic === undefined ? [] : [topic]))
    return topics.length === this.#filter.resources.length ? topics : undefined
  }

  /** @param time of its commit, epoch ms */
  covers(event: Event, time: number): boolean {
    const { Namespace, Partition } = this.hold
    return (
      time >= this.from &&
      time <= this.until &&
      (Namespace === '*' || event.Namespace === Namespace || event.Namespace === '') &&
      (Partition === '*' || event.Partition === Partition || event.Partition === '') &&
      this.#filter.matches(event)
    )
  }
}

/** Legal holds by name. Costs: look-ups and changes O(1), a list O(holds). Watch key: `legal-holds`. */
export class LegalHolds extends TableProjection<HoldRow> implements Projection {
  readonly topics = [LEGAL_HOLD_TOPIC]

  constructor(private readonly watch: Watch) {
    super({
      key: ({ hold }) => hold.Name,
      tenancy: () => DEFAULT_TENANCY,
      order: ({ hold }) => hold.Name,
      unique: {},
      multi: {}
    })
  }

  get(name: string): HoldRow | undefined {
    return this.table.get(name)
  }

  list(): readonly HoldRow[] {
    return this.table.list(DEFAULT_TENANCY)
  }

  apply(event: Event, { Index }: Commit): void {
    if (!isLegalHoldEvent(event)) return
    const { LegalHold } = event.Payload
    if (event.Type === 'LegalHoldLifted') this.table.delete(LegalHold.Name, Index)
    else this.table.put(new HoldRow(LegalHold), Index)
    this.watch.touch('legal-holds')
  }

  factOf({ hold }: HoldRow): Fact {
    return resourceFact(legalHoldEvents, hold, { Index: hold.ModifyIndex })
  }
}
