// How far nodes are from each other by their coordinates (spec: state.md §9).
import type { Coord, Coordinate } from '../../events/coordinate.js'

const NS_PER_SECOND = 1e9

/** Seconds, cut to whole nanoseconds. */
export const distance = (a: Coord, b: Coord): number => {
  let sum = 0
  for (let i = 0; i < a.Vec.length; i++) sum += ((a.Vec[i] ?? 0) - (b.Vec[i] ?? 0)) ** 2
  const raw = Math.sqrt(sum) + a.Height + b.Height
  const adjusted = raw + a.Adjustment + b.Adjustment
  return Math.trunc((adjusted > 0 ? adjusted : raw) * NS_PER_SECOND) / NS_PER_SECOND
}

/** A node's coordinates by segment. */
export type NodeDistances = ReadonlyMap<string, Coordinate>

const onlySegment = (places: NodeDistances): string | undefined =>
  places.size === 1 ? [...places.keys()][0] : undefined

/** Seconds between two nodes, in the segment that both are in; Infinity if they share none. */
const distanceBetween = (from: NodeDistances, to: NodeDistances): number => {
  const segment = onlySegment(to) ?? onlySegment(from) ?? ''
  const a = from.get(segment)
  const b = to.get(segment)
  return a && b ? distance(a.Coord, b.Coord) : Infinity
}

const nowhere: NodeDistances = new Map()

/** The rows, nearest first; those equally far stay in their order, those without coordinates at the end. */
export const nearestFirst = <Row>(
  rows: readonly Row[],
  from: NodeDistances,
  placesOf: (row: Row) => NodeDistances | undefined
): readonly Row[] =>
  rows
    .map(row => [distanceBetween(from, placesOf(row) ?? nowhere), row] as const)
    // Infinity minus itself is no number.
    .toSorted(([a], [b]) => (a === b ? 0 : a - b))
    .map(([, row]) => row)

/**
 * How a coordinate follows what is measured: Vivaldi with heights, adjustments and a pull to the origin (Dabek et al., "Vivaldi: A
 * Decentralized Network Coordinate System"; Ledlie et al., "Network Coordinates in the Wild"), by the constants of the reference.
 */
export const DIMENSIONS = 8
/** Of a node that has not measured anything, and the largest there is. */
const MOST_ERROR = 1.5
/** In seconds. */
const LEAST_HEIGHT = 10e-6
/** How much one measurement may change the error, and the place. */
const ERROR_SHARE = 0.25
const PLACE_SHARE = 0.25
/** So many of the last measurements count for the adjustment. */
const WINDOW = 20
/** Seconds from the origin at which its pull is one second. */
const GRAVITY_RHO = 150
const LEAST = 1e-6

/** The place of a server that has not measured anything. */
export const ORIGIN: Coord = {
  Vec: Array<number>(DIMENSIONS).fill(0),
  Error: MOST_ERROR,
  Adjustment: 0,
  Height: LEAST_HEIGHT
}

const lengthOf = (vec: readonly number[]): number => Math.hypot(...vec)

/** From one place to the other: a direction of length 1, and how far. Of two in one place any direction. */
const directionFrom = (
  from: readonly number[],
  to: readonly number[],
  random: () => number
): { readonly unit: readonly number[]; readonly far: number } => {
  const between = to.map((value, i) => value - (from[i] ?? 0))
  const far = lengthOf(between)
  if (far > LEAST) return { unit: between.map(value => value / far), far }
  const any = to.map(() => random() - 0.5)
  const length = lengthOf(any)
  return { unit: any.map((value, i) => (length > LEAST ? value / length : i === 0 ? 1 : 0)), far: 0 }
}

/** Pushed away from another place by so many seconds; pulled to it below 0. */
const pushed = (coord: Coord, force: number, from: Coord, random: () => number): Coord => {
  const { unit, far } = directionFrom(from.Vec, coord.Vec, random)
  const Vec = coord.Vec.map((value, i) => value + (unit[i] ?? 0) * force)
  const height = far > LEAST ? ((coord.Height + from.Height) * force) / far + coord.Height : coord.Height
  return { ...coord, Vec, Height: Math.max(height, LEAST_HEIGHT) }
}

const raw = (a: Coord, b: Coord): number => distance({ ...a, Adjustment: 0 }, { ...b, Adjustment: 0 })

/** A coordinate that moves with each measurement. */
export class VivaldiCoordinate {
  #coord = ORIGIN
  /** By how much the last measurements differed from the distance without adjustments, in seconds. */
  #differences: readonly number[] = []

  /** @param random numbers from 0 to below 1 */
  constructor(private readonly random: () => number) {}

  get coord(): Coord {
    return this.#coord
  }

  /** @param seconds that it takes to the other one and back */
  observe(other: Coord, seconds: number): void {
    const measured = Math.max(seconds, LEAST)
    const before = this.#coord
    const far = distance(before, other)
    const weight = before.Error / Math.max(before.Error + other.Error, LEAST)
    const wrong = Math.abs(far - measured) / measured
    const share = ERROR_SHARE * weight
    const Error = Math.min(share * wrong + before.Error * (1 - share), MOST_ERROR)
    const moved = pushed({ ...before, Error }, PLACE_SHARE * weight * (measured - far), other, this.random)
    this.#differences = [...this.#differences, measured - raw(moved, other)].slice(-WINDOW)
    const Adjustment = this.#differences.reduce((sum, one) => sum + one, 0) / (2 * WINDOW)
    const adjusted = { ...moved, Adjustment }
    const pull = (distance(ORIGIN, adjusted) / GRAVITY_RHO) ** 2
    this.#coord = pushed(adjusted, -pull, ORIGIN, this.random)
  }
}
