// Where the groups of a segment are: one place for every so many bytes, from which it is not far to any commit.

/** Bytes of a segment for each place. */
const STEP = 16 * 1024

/** A group: index of its first commit, and its byte in the file. */
export interface Place {
  readonly first: number
  readonly offset: number
}

export class SparseIndex {
  readonly places: Place[] = []

  /** Takes a group that lies behind those before; keeps it if it is far enough from the last place. */
  add(place: Place): void {
    const last = this.places.at(-1)
    if (!last || place.offset - last.offset >= STEP) this.places.push(place)
  }

  /** The last place whose group does not begin behind the commit with this index; undefined when there is none. */
  before(index: number): Place | undefined {
    let low = 0
    let high = this.places.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.places[middle]?.first ?? Infinity) <= index) low = middle + 1
      else high = middle
    }
    return this.places[low - 1]
  }
}
