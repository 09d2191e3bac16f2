// What a page and the worker of its lists say to each other.
import type { CommitOrigin, StreamedEvent } from '../../../typescript/stream-line.js'
import type { StreamGap } from '../follow.js'
import type { StreamState } from '../stream-state.js'

/** Who asks. */
export interface ClientInfo {
  readonly address: string
  readonly token?: string
}

/** Which things are listed. */
export interface ResourcesRequest {
  /** Name of the listing. */
  readonly listing: string
  /** In place of those of the listing: fewer things, such as `KV:web/`. */
  readonly topics?: readonly string[]
  /** An expression that the server evaluates. */
  readonly filter?: string
  /** `*` for all, as when it is absent. */
  readonly namespace?: string
  readonly partition?: string
  /** Whether what was is listed, as of the commit that is looked at, in place of what is now. */
  readonly isPast: boolean
}

export interface Sorting {
  /** Place of the column. */
  readonly column: number
  readonly isDescending: boolean
}

/** What of a list is looked at. */
export interface ResourcesViewport {
  /** Text that rows have to have in one of their columns. */
  readonly search: string
  /** What the listing makes of it, such as a folder. */
  readonly scope: string
  readonly sorting: Sorting
  /** Index of the commit as of which things are listed; undefined for now. */
  readonly at?: number | undefined
}

/** A part of a list, by places: from the first to the one before the last. */
export interface Span {
  readonly first: number
  readonly last: number
}

/** A row of a list of things. */
export interface ResourceRow<State extends object = object> {
  readonly id: string
  /** Texts of the columns. */
  readonly cells: readonly string[]
  readonly state: State
  /** The last event of the thing; of a row of several things, of one of them. */
  readonly event: StreamedEvent
}

/** Which events are listed. */
export interface LinesRequest {
  readonly topics: readonly string[]
  readonly types: readonly string[]
  readonly filter?: string
  readonly namespace: string
  readonly partition?: string
  /** Whether who made them, and when, is told. */
  readonly meta: boolean
  /** The first event that is listed; the newest commits, and all that come, when absent. */
  readonly start?: { readonly index: number | 'beginning' } | { readonly since: string }
}

/** A line of the list of events. */
export interface LineRow {
  readonly id: string
  readonly event: StreamedEvent
  /** Who made it and when; only for who may read that. */
  readonly origin: CommitOrigin | undefined
  /** What changed. */
  readonly words: string
}

/** How it stands with what no event tells of the things. */
export type FactsState =
  /** In ms, by the clock of this machine. */
  { readonly asOf: number } | { readonly failure: string }

/** How many of what the lists show: counts tell of all rows, `rows` are those of the span. */
export interface ResourcesView {
  /** How many rows the look lets through. */
  readonly count: number
  readonly total: number
  readonly first: number
  readonly rows: readonly ResourceRow[]
  /** Absent for lists without, and until it was told. */
  readonly facts?: FactsState
  /** Why only those are listed that the token may see; absent where it may see all. */
  readonly refusal?: string
}

export interface LinesView {
  readonly count: number
  readonly first: number
  /** Newest first. */
  readonly rows: readonly LineRow[]
  /** Lines that have left the list since it was opened. */
  readonly dropped: number
  /** Lines that came while the list is held. */
  readonly waiting: number
  /** The list is full, and what comes next waits until it is asked for. */
  readonly isFull: boolean
  readonly gaps: readonly StreamGap[]
  /** Those of the events that came. */
  readonly types: readonly string[]
}

export type ToWorker =
  | {
      readonly open: 'resources'
      readonly id: number
      readonly asker: ClientInfo
      readonly asked: ResourcesRequest
    }
  | { readonly open: 'lines'; readonly id: number; readonly asker: ClientInfo; readonly asked: LinesRequest }
  | { readonly look: ResourcesViewport; readonly id: number }
  | { readonly span: Span; readonly id: number }
  | { readonly hold: boolean; readonly id: number }
  | { readonly more: true; readonly id: number }
  | { readonly facts: true; readonly id: number }
  | { readonly retry: { readonly isGivenUp: boolean }; readonly id: number }
  | { readonly close: true; readonly id: number }

export type FromWorker =
  | { readonly id: number; readonly state: StreamState }
  | { readonly id: number; readonly resources: ResourcesView }
  | { readonly id: number; readonly lines: LinesView }
