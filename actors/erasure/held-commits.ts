// Finds the commits that legal holds cover.
import type { Commit, Event } from '../../events/envelope.js'
import { type Erasure, isOriginErasure } from '../../events/erasure.js'
import { CommitsPruned, type LogReader } from '../../events/log/log.js'
import { parseTime } from '../../events/time.js'
import type { HoldRow, LegalHolds } from '../../projections/legal-holds.js'
import type { Lifecycles } from '../lifecycle.js'
import { Refusal } from '../refusal.js'
import { partsToEraseBy } from './parts-to-erase.js'

interface Search {
  /** Of the hold. */
  readonly version: number
  /** The first held commit, or undefined up to `upTo`. */
  readonly first: number | undefined
  readonly upTo: number
}

export interface HeldCommit {
  readonly index: number
  /** Name of the hold. */
  readonly hold: string
}

/** The oldest commit of each hold. A commit is examined once as long as the hold does not change. */
export class HeldCommits {
  readonly #searches = new Map<string, Search>()

  constructor(
    private readonly log: Pick<LogReader, 'records' | 'firstIndex'>,
    private readonly holds: LegalHolds
  ) {}

  /** Returns the oldest held commit up to an index; undefined for none. */
  async oldest(upTo: number): Promise<HeldCommit | undefined> {
    const rows = this.holds.list()
    for (const name of this.#searches.keys()) if (!this.holds.get(name)) this.#searches.delete(name)
    let oldest: HeldCommit | undefined
    for (const row of rows) {
      const index = await this.#firstOf(row, upTo)
      if (index !== undefined && index <= upTo && index < (oldest?.index ?? Infinity))
        oldest = { index, hold: row.hold.Name }
    }
    return oldest
  }

  async #firstOf(row: HoldRow, upTo: number): Promise<number | undefined> {
    const { Name, ModifyIndex: version } = row.hold
    const known = this.#searches.get(Name)
    const search = known?.version === version ? known : { version, first: undefined, upTo: 0 }
    if (search.first !== undefined || search.upTo >= upTo) return search.first
    const from = Math.max(search.upTo + 1, this.log.firstIndex)
    const first = from > upTo ? undefined : await this.#search(row, from, upTo)
    this.#searches.set(Name, { version, first, upTo })
    return first
  }

  async #search(row: HoldRow, from: number, to: number): Promise<number | undefined> {
    const { topics } = row
    for await (const records of this.log.records(from, { to, ...(topics && { topics }) }))
      for (const record of records) {
        if (record.index > to) return undefined
        const time = parseTime(record.time) ?? 0
        if (time < row.from || time > row.until) continue
        if (record.events().some(event => row.covers(event, time))) return record.index
      }
    return undefined
  }
}

interface ErasureScope {
  readonly log: LogReader
  readonly holds: LegalHolds
  readonly lifecycles: Lifecycles
}

/** Holds that cannot cover a resource of the topic are left out, so that most erasures read nothing for them. */
const holdsAbout = (holds: LegalHolds, erasure: Erasure): readonly HoldRow[] =>
  holds.list().filter(({ topics }) => isOriginErasure(erasure) || !topics || topics.includes(erasure.Topic))

const commitAt = async (log: LogReader, index: number): Promise<Commit | undefined> => {
  try {
    for await (const commit of log.read(index)) return commit
  } catch (error) {
    if (!(error instanceof CommitsPruned)) throw error
  }
  return undefined
}

/** @throws Refusal `conflict` naming a hold that covers a part that the erasure would erase */
export const refuseHeld = async (
  erasure: Erasure,
  { log, holds, lifecycles }: ErasureScope
): Promise<void> => {
  const rows = holdsAbout(holds, erasure)
  if (rows.length === 0) return
  for await (const { index, events: numbers } of partsToEraseBy(log, erasure, lifecycles)) {
    const commit = await commitAt(log, index)
    if (!commit) continue
    const time = parseTime(commit.Time) ?? 0
    const erased = numbers && new Set(numbers)
    const events: readonly Event[] = erased
      ? commit.Events.filter((_, number) => erased.has(number))
      : commit.Events
    const row = rows.find(each => events.some(event => each.covers(event, time)))
    if (row)
      throw new Refusal(
        'erasure.held',
        `Legal hold "${row.hold.Name}" covers commit ${index}: lift the hold, or erase less`
      )
  }
}
