// Where servers are in the network: the time of a round trip between two of them, as their coordinates estimate it.

export interface Coordinate {
  readonly Vec: readonly number[]
  readonly Adjustment: number
  readonly Height: number
}

/** Seconds; never less than without adjustments that would make it negative. */
export const roundTrip = (one: Coordinate, other: Coordinate): number => {
  const squares = one.Vec.map((place, axis) => (place - (other.Vec[axis] ?? 0)) ** 2)
  const raw = Math.sqrt(squares.reduce((sum, square) => sum + square, 0)) + one.Height + other.Height
  const adjusted = raw + one.Adjustment + other.Adjustment
  return adjusted > 0 ? adjusted : raw
}
