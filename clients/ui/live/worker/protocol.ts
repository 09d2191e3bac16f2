import type { CommitOrigin, StreamedEvent } from '../../../typescript/stream-line.js'
import type { StreamGap } from '../follow.js'
import type { StreamState } from '../stream-state.js'
import type { ServiceSummary } from '../../resources/catalog/facts.js'

export interface ClientInfo {
  readonly address: string
  readonly token?: string | undefined
}

export interface ResourcesRequest {
  /** The path of a kind, or the name of a list of the catalog. */
  readonly listing: string
  /** An expression that the server evaluates. */
  readonly filter?: string
  /** `*`, the default, selects all. */
  readonly namespace?: string
  readonly partition?: string
  /** Lists the state at `ResourcesViewport.at`. */
  readonly isPast: boolean
}

export interface Sorting {
  readonly column: number
  readonly isDescending: boolean
}

export interface ResourcesViewport {
  /** Text that one column must contain. */
  readonly search: string
  /** A part that the kind defines, such as the tokens that are unused since a time. */
  readonly scope: string
  readonly sorting: Sorting
  /** Index of the displayed commit; undefined for now. */
  readonly at?: number | undefined
  /** IDs of the rows that a filter of the server selects. */
  readonly only?: readonly string[] | undefined
}

/** A range of rows; `last` is exclusive. */
export interface Span {
  readonly first: number
  readonly last: number
}

export interface ResourceRow {
  readonly id: string
  /** Texts of the columns. */
  readonly cells: readonly string[]
  /** Pages that the cells link to. */
  readonly links: readonly (string | undefined)[]
}

export interface LinesRequest {
  readonly topics: readonly string[]
  readonly types: readonly string[]
  readonly filter?: string
  readonly namespace: string
  readonly partition?: string
  /** Includes origin and time of each commit. */
  readonly meta: boolean
  /** The first event of the list; when absent, the list follows the newest commits. */
  readonly start?: { readonly index: number | 'beginning' } | { readonly since: string }
}

export interface LineRow {
  readonly id: string
  readonly event: StreamedEvent
  /** Requires a permission. */
  readonly origin: CommitOrigin | undefined
  readonly words: string
}

/** The state of the additional data of a list. */
export type FactsState =
  /** Time of the response in ms. */
  { readonly asOf: number } | { readonly failure: string }

/** Counts refer to all rows, `rows` to the visible range. */
export interface ResourcesView {
  /** Number of rows that match the viewport. */
  readonly count: number
  readonly total: number
  readonly first: number
  readonly rows: readonly ResourceRow[]
  /** Absent without additional data, and until it is loaded. */
  readonly facts?: FactsState
  /** Why only permitted resources are listed; absent when the token may read all. */
  readonly refusal?: string
  /** Of the service, in a list of its instances. */
  readonly summary?: ServiceSummary
  /** The list is that of one request, because the token has no permission to follow it. */
  readonly isFixed?: boolean
}

export interface LinesView {
  readonly count: number
  readonly first: number
  /** Newest first. */
  readonly rows: readonly LineRow[]
  /** Number of lines that have left the list. */
  readonly dropped: number
  /** Number of lines that wait while the list is held. */
  readonly waiting: number
  /** The list waits for a request to continue. */
  readonly isFull: boolean
  readonly gaps: readonly StreamGap[]
  readonly types: readonly string[]
}

/** What a component asks of its session. */
export type WorkerRequest =
  | { readonly open: 'resources'; readonly clientInfo: ClientInfo; readonly request: ResourcesRequest }
  | { readonly open: 'lines'; readonly clientInfo: ClientInfo; readonly request: LinesRequest }
  | { readonly viewport: ResourcesViewport }
  | { readonly span: Span }
  | { readonly hold: boolean }
  | { readonly more: true }
  | { readonly facts: true }
  | { readonly retry: { readonly isGivenUp: boolean } }
  | { readonly close: true }

export type SessionMessage =
  { readonly state: StreamState } | { readonly resources: ResourcesView } | { readonly lines: LinesView }

interface OfSession {
  readonly id: number
}

export type ToWorker = WorkerRequest & OfSession
export type FromWorker = SessionMessage & OfSession
