// Where the groups of a segment are, and the records of large ones: one place for every so many bytes, from which it is not far to any commit.
import { lowerBound } from '../../sorted-search.js'

/** Bytes of a segment for each place. */
const STEP = 16 * 1024

/** A group or a record: index of its first commit, and its byte in the file. */
export interface GroupPosition {
  readonly first: number
  readonly offset: number
}

/** A group, and where its records are. */
interface IndexedGroup extends GroupPosition {
  /** Byte of each of its records within it. */
  readonly starts: readonly number[]
  /** Bytes. */
  readonly length: number
}

/** The last place that does not lie behind the commit with this index. */
const lastBefore = (places: readonly GroupPosition[], index: number): GroupPosition | undefined =>
  places[lowerBound(places, ({ first }) => first <= index) - 1]

export class GroupIndex {
  /** Of groups. */
  readonly places: GroupPosition[] = []
  /** Of records within groups that are larger than a step. */
  readonly records: GroupPosition[] = []

  /** Takes a group that lies behind those before; keeps it if it is far enough from the last place, or behind a large group. */
  add({ first, offset }: GroupPosition): void {
    const last = this.places.at(-1)?.offset ?? -Infinity
    const isBehindRecords = offset > last && (this.records.at(-1)?.offset ?? -Infinity) > last
    if (isBehindRecords || offset - last >= STEP) this.places.push({ first, offset })
  }

  /** As `add`, and keeps records of a large group, its first one and some of those behind it. */
  addMarked(group: IndexedGroup): void {
    this.add(group)
    const { first, offset, starts, length } = group
    if (length <= STEP) return
    let last = -Infinity
    for (const [i, start] of starts.entries()) {
      if (start - last < STEP) continue
      last = start
      this.records.push({ first: first + i, offset: offset + start })
    }
  }

  /** The last place whose group does not begin behind the commit with this index; undefined when there is none. */
  before(index: number): GroupPosition | undefined {
    return lastBefore(this.places, index)
  }

  /** The last record that is known of the group of a commit, up to that commit; undefined when none is. */
  recordBefore(index: number): GroupPosition | undefined {
    const record = lastBefore(this.records, index)
    // A group behind those of which records are known has a place of its own.
    const group = lastBefore(this.places, index)
    return record && record.offset > (group?.offset ?? 0) ? record : undefined
  }
}
