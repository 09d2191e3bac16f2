import { StepPace, type Steps } from '../../steps.js'
import { getOrCreate } from '../../maps.js'
import type { Tenancy } from '../../../events/envelope.js'
import { type CountedTimes, DayCounts, MINUTES_A_DAY } from './day-counts.js'
import type { Question, RecordedQuestion, RecordedQuestions, UsageSubject, Extent } from './question.js'
import { kindOf, MOST_SEGMENTS, type UsageReport } from './question-counter.js'
import { SegmentTable } from './segment-table.js'

interface Place extends Tenancy {
  readonly code: number
  readonly table: SegmentTable<DayCounts>
}

interface SubjectUsage extends UsageSubject {
  readonly places: Map<string, Place>
}

/** Kinds of questions times tenancies of one token; further ones are not recorded. */
const MOST_TABLES = 512

/** The key of a token in a datacenter. Equal links stand for the deleted tokens. */
const keyOf = ({ accessor, holdings, datacenter }: UsageSubject): string => {
  const name = accessor ?? JSON.stringify(holdings)
  return datacenter === undefined ? name : `${datacenter} ${name}`
}

/** A count of one question in one day. */
export interface StoredCount extends Tenancy, Pick<Question, 'segment' | 'extent'>, CountedTimes {
  readonly subject: UsageSubject
  readonly code: number
}

/**
 * Counts of questions by token and day. Memory: about 40 bytes for each question and day, 300 for each question. When there are more than `most`
 * counts of days, `prune` removes the oldest days.
 */
export class QuestionStore implements RecordedQuestions {
  readonly #subjects = new Map<string, SubjectUsage>()
  readonly #table = {
    create: (): DayCounts => new DayCounts(),
    merge: (into: DayCounts, from: DayCounts): void => {
      this.#size += into.merge(from)
    }
  }
  /** Number of counts of days. */
  #size = 0

  /** @param most maximum number of counts of days */
  constructor(private most: number) {}

  get size(): number {
    return this.#size
  }

  /** Changes the maximum. */
  limit(most: number): void {
    this.most = most
  }

  get isFull(): boolean {
    return this.#size > this.most
  }

  /** Adds a report of the questions of one minute. Returns the number of questions that found no room. */
  add({ tokens, leftOut }: UsageReport, minute: number): number {
    let lost = leftOut
    for (const { accessor, holdings, questions } of tokens)
      for (const [code, partition, namespace, segments] of questions)
        for (const [segment, extent, count] of segments) {
          const stored = { code, partition, namespace, segment, extent, count, first: minute, last: minute }
          if (!this.put({ subject: { accessor, holdings }, ...stored })) lost += count
        }
    return lost
  }

  /** Returns false if there is no room. */
  put({ subject, segment, extent, count, first, last, ...of }: StoredCount): boolean {
    const table = this.#tableOf(subject, of)
    if (!table || this.#size > this.most + this.most / 10) return false
    this.#size += table.at(segment, extent).add(count, first, last)
    return true
  }

  *subjects(): Iterable<UsageSubject> {
    yield* this.#subjects.values()
  }

  *of(subject: UsageSubject, since = 0): Iterable<RecordedQuestion> {
    const known = this.#subjects.get(keyOf(subject))
    for (const { code, partition, namespace, table } of known?.places.values() ?? []) {
      const kind = kindOf(code)
      if (!kind) continue
      for (const [segment, extent, days] of table) {
        const total = days.total(Math.floor(since / MINUTES_A_DAY))
        if (total) yield { ...kind, partition, namespace, segment, extent, ...total }
      }
    }
  }

  /** Yields the counts of one day. */
  *ofDay(day: number): Iterable<StoredCount> {
    for (const { accessor, holdings, places } of this.#subjects.values())
      for (const { code, partition, namespace, table } of places.values())
        for (const [segment, extent, days] of table) {
          const found = days.of(day)
          if (found)
            yield {
              subject: { accessor, holdings },
              code,
              partition,
              namespace,
              segment,
              extent,
              ...found
            }
        }
  }

  /** Merges the counts of deleted tokens with the same links. */
  *foldDeleted(exists: (accessor: string) => boolean): Steps<void> {
    const pace = new StepPace()
    for (const subject of Array.from(this.#subjects.values())) {
      const { accessor, holdings, places } = subject
      if (pace.isOver()) yield
      if (accessor === undefined || exists(accessor)) continue
      this.#subjects.delete(accessor)
      const deleted = { accessor: undefined, holdings }
      for (const { table, ...of } of places.values())
        for (const [segment, extent, days] of table) {
          if (pace.isOver()) yield
          const into = this.#tableOf(deleted, of)?.at(segment, extent)
          this.#size += into ? into.merge(days) : -days.size
        }
    }
  }

  /** Removes the counts of days before one. */
  *forgetBefore(day: number): Steps<void> {
    yield* this.#remove((_segment, _extent, days) => {
      this.#size -= days.dropBefore(day)
      return days.size === 0
    })
  }

  /** Removes the counts of names and prefixes that pass a test. Returns true if there were any. */
  *erase(isErased: (place: Omit<StoredCount, 'count' | 'first' | 'last'>) => boolean): Steps<boolean> {
    let isChanged = false
    yield* this.#remove((segment, extent, days, subject, { code, partition, namespace }) => {
      if (!isErased({ subject, code, partition, namespace, segment, extent })) return false
      this.#size -= days.size
      isChanged = true
      return true
    })
    return isChanged
  }

  *#remove(
    isRemoved: (
      segment: string,
      extent: Extent,
      days: DayCounts,
      subject: UsageSubject,
      place: Place
    ) => boolean
  ): Steps<void> {
    const pace = new StepPace()
    for (const [key, subject] of Array.from(this.#subjects)) {
      for (const [name, place] of subject.places) {
        const { table } = place
        table.remove((segment, extent, days) => isRemoved(segment, extent, days, subject, place))
        if (table.size === 0) subject.places.delete(name)
        if (pace.isOver(table.size * 256)) yield
      }
      if (subject.places.size === 0) this.#subjects.delete(key)
    }
  }

  #tableOf(
    subject: UsageSubject,
    { code, partition, namespace }: Pick<Place, 'code' | 'partition' | 'namespace'>
  ): SegmentTable<DayCounts> | undefined {
    const key = keyOf(subject)
    const { holdings } = subject
    const known = this.#subjects.get(key)
    const places = known?.places ?? new Map<string, Place>()
    // The links of a token may have changed.
    if (known?.holdings !== holdings) this.#subjects.set(key, { ...subject, places })
    const name = `${code} ${partition}/${namespace}`
    if (!places.has(name) && places.size >= MOST_TABLES) return undefined
    return getOrCreate(places, name, () => ({
      code,
      partition,
      namespace,
      table: new SegmentTable<DayCounts>(MOST_SEGMENTS, this.#table)
    })).table
  }
}
