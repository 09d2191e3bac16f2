import { DEFAULT_TENANCY, type Event } from '../events/envelope.js'
import { type LegalHold, type LegalHoldEvent, legalHoldEvents } from '../events/legal-hold.js'
import { parseTime } from '../events/time.js'
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
export class LegalHolds extends TableProjection<HoldRow, LegalHold, LegalHoldEvent> {
  constructor(watch: Watch) {
    super(watch, {
      events: legalHoldEvents,
      rowOf: ({ Payload }) => new HoldRow(Payload.LegalHold),
      resourceOf: ({ hold }) => hold,
      watched: () => ['legal-holds'],
      key: ({ hold }) => hold.Name,
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
}
