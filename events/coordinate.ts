// Network coordinates of nodes: what one is, and its events, which no stream shows (spec: state.md §2, §9).
import type { Event } from './envelope.js'

/** A place in the Vivaldi model; seconds. */
export interface Coord {
  /** Eight numbers. */
  readonly Vec: readonly number[]
  readonly Error: number
  readonly Adjustment: number
  readonly Height: number
}

export interface Coordinate {
  readonly Node: string
  /** Network segment; '' for the one that all nodes share. */
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

/** Tells a coordinate's events from others; what the log holds under this topic was written by us. */
export const isCoordinateEvent = (event: Event): event is CoordinateEvent => event.Topic === COORDINATE_TOPIC
