// Network coordinates of nodes and their events, which no stream shows (spec: state.md §2, §9).
import type { Event } from './envelope.js'

/** Coordinate in the Vivaldi model, in seconds. */
export interface Coord {
  /** Eight dimensions. */
  readonly Vec: readonly number[]
  readonly Error: number
  readonly Adjustment: number
  readonly Height: number
}

export interface Coordinate {
  readonly Node: string
  /** Network segment; empty for the default segment. */
  readonly Segment: string
  readonly Coord: Coord
}

export const COORDINATE_TOPIC = 'Coordinate'
type CoordinateEventOf<Type extends string> = Event<
  typeof COORDINATE_TOPIC,
  Type,
  { readonly Coordinate: Coordinate }
>
export type CoordinateUpdated = CoordinateEventOf<'CoordinateUpdated'>
type CoordinateDeleted = CoordinateEventOf<'CoordinateDeleted'>
export type CoordinateEvent = CoordinateUpdated | CoordinateDeleted

export const isCoordinateEvent = (event: Event): event is CoordinateEvent => event.Topic === COORDINATE_TOPIC
