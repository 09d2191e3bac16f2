import { StepPace, type Steps } from '../steps.js'
import { rowsOf, sortedInSteps } from '../sorted-steps.js'
import type { Coord, Coordinate } from '../../events/node.js'

const NS_PER_SECOND = 1e9

/** Returns seconds, truncated to whole nanoseconds (spec: state.md §9). */
export const distance = (a: Coord, b: Coord): number => {
  let sum = 0
  for (let i = 0; i < a.Vec.length; i++) sum += ((a.Vec[i] ?? 0) - (b.Vec[i] ?? 0)) ** 2
  const raw = Math.sqrt(sum) + a.Height + b.Height
  const adjusted = raw + a.Adjustment + b.Adjustment
  return Math.trunc((adjusted > 0 ? adjusted : raw) * NS_PER_SECOND) / NS_PER_SECOND
}

export type NodeDistances = ReadonlyMap<string, Coordinate>

const onlySegment = (places: NodeDistances): string | undefined =>
  places.size === 1 ? [...places.keys()][0] : undefined

/** Seconds between two nodes in their common segment; Infinity without one. */
const distanceBetween = (from: NodeDistances, to: NodeDistances): number => {
  const segment = onlySegment(to) ?? onlySegment(from) ?? ''
  const a = from.get(segment)
  const b = to.get(segment)
  return a && b ? distance(a.Coord, b.Coord) : Infinity
}

const nowhere: NodeDistances = new Map()

interface PlacedRow<Row> {
  readonly row: Row
  /** Seconds. */
  readonly distance: number
}

/** Returns a row with its distance from a node; Infinity without coordinates. */
const placed = <Row>(row: Row, from: NodeDistances, to: NodeDistances | undefined): PlacedRow<Row> => ({
  row,
  distance: distanceBetween(from, to ?? nowhere)
})

/** Compares rows by distance. Rows without coordinates come last. */
const byDistance = (a: PlacedRow<unknown>, b: PlacedRow<unknown>): number =>
  // Infinity minus itself is no number.
  a.distance === b.distance ? 0 : a.distance - b.distance

/** Sorts rows by distance. The sort is stable. */
export function* nearestFirst<Row>(
  rows: readonly Row[],
  from: NodeDistances,
  placesOf: (row: Row) => NodeDistances | undefined
): Steps<readonly Row[]> {
  const pace = new StepPace()
  const found: PlacedRow<Row>[] = []
  for (const row of rows) {
    found.push(placed(row, from, placesOf(row)))
    if (pace.isOver()) yield
  }
  return yield* rowsOf(yield* sortedInSteps(found, byDistance))
}

/**
 * Vivaldi with heights, adjustments and gravity to the origin (Dabek et al., "Vivaldi: A Decentralized Network Coordinate
 * System"; Ledlie et al., "Network Coordinates in the Wild"), with the constants of the reference.
 */
export const DIMENSIONS = 8
/** The initial and maximal error. */
const MAX_ERROR = 1.5
/** In seconds. */
const MIN_HEIGHT = 10e-6
/** The weight of one measurement for the error, and for the position. */
const ERROR_SHARE = 0.25
const POSITION_SHARE = 0.25
/** The number of measurements for the adjustment. */
const WINDOW = 20
/** Seconds from the origin at which the gravity is one second. */
const GRAVITY_RHO = 150
const EPSILON = 1e-6

/** The position of a server without measurements. */
export const ORIGIN: Coord = {
  Vec: Array<number>(DIMENSIONS).fill(0),
  Error: MAX_ERROR,
  Adjustment: 0,
  Height: MIN_HEIGHT
}

const lengthOf = (vec: readonly number[]): number => Math.hypot(...vec)

/** The unit vector and distance between two positions; a random direction for equal positions. */
const directionFrom = (
  from: readonly number[],
  to: readonly number[],
  random: () => number
): { readonly unit: readonly number[]; readonly far: number } => {
  const between = to.map((value, i) => value - (from[i] ?? 0))
  const far = lengthOf(between)
  if (far > EPSILON) return { unit: between.map(value => value / far), far }
  const any = to.map(() => random() - 0.5)
  const length = lengthOf(any)
  return { unit: any.map((value, i) => (length > EPSILON ? value / length : i === 0 ? 1 : 0)), far: 0 }
}

/** Moves a coordinate away from another one by `force` seconds; towards it if negative. */
const pushed = (coord: Coord, force: number, from: Coord, random: () => number): Coord => {
  const { unit, far } = directionFrom(from.Vec, coord.Vec, random)
  const Vec = coord.Vec.map((value, i) => value + (unit[i] ?? 0) * force)
  const height = far > EPSILON ? ((coord.Height + from.Height) * force) / far + coord.Height : coord.Height
  return { ...coord, Vec, Height: Math.max(height, MIN_HEIGHT) }
}

const raw = (a: Coord, b: Coord): number => distance({ ...a, Adjustment: 0 }, { ...b, Adjustment: 0 })

export class VivaldiCoordinate {
  #coord = ORIGIN
  /** The differences of the last measurements from the unadjusted distance, in seconds. */
  #differences: readonly number[] = []

  /** @param random numbers from 0 to below 1 */
  constructor(private readonly random: () => number) {}

  get coord(): Coord {
    return this.#coord
  }

  /** @param seconds the round-trip time */
  observe(other: Coord, seconds: number): void {
    const measured = Math.max(seconds, EPSILON)
    const before = this.#coord
    const far = distance(before, other)
    const weight = before.Error / Math.max(before.Error + other.Error, EPSILON)
    const relativeError = Math.abs(far - measured) / measured
    const share = ERROR_SHARE * weight
    const Error = Math.min(share * relativeError + before.Error * (1 - share), MAX_ERROR)
    const moved = pushed({ ...before, Error }, POSITION_SHARE * weight * (measured - far), other, this.random)
    this.#differences = [...this.#differences, measured - raw(moved, other)].slice(-WINDOW)
    const Adjustment = this.#differences.reduce((sum, one) => sum + one, 0) / (2 * WINDOW)
    const adjusted = { ...moved, Adjustment }
    const gravity = (distance(ORIGIN, adjusted) / GRAVITY_RHO) ** 2
    this.#coord = pushed(adjusted, -gravity, ORIGIN, this.random)
  }
}
