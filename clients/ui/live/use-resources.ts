// A list of resources of any length. The worker maintains it, and the page receives the visible rows.
import { useState } from 'preact/hooks'
import { asOfIndex } from '../time-travel/as-of-state.js'
import type { StreamState } from './stream-state.js'
import { useWorkerSession } from './use-worker-session.js'
import type {
  FactsState,
  Sorting,
  Span,
  ResourceRow,
  ResourcesRequest,
  ResourcesViewport,
  ResourcesView,
  LineRow,
  LinesRequest,
  LinesView
} from './worker/protocol.js'

interface ResourceListOptions
  extends Omit<ResourcesRequest, 'isPast'>, Partial<Pick<ResourcesViewport, 'search' | 'scope'>> {
  /** The initial sorting; by the first column when absent. */
  readonly sorted?: Sorting
}

export interface ResourceList {
  readonly state: StreamState
  /** Number of rows that match the search. */
  readonly count: number
  readonly total: number
  /** Why only permitted resources are listed; undefined when the token may read all. */
  readonly refusal: string | undefined
  /** Returns the row at an index; undefined outside the viewport, or while it loads. */
  readonly rowAt: (place: number) => ResourceRow | undefined
  readonly see: (span: Span) => void
  readonly sorting: Sorting
  /** Sorts by a column, or reverses the order of the current one. */
  readonly sortBy: (column: number) => void
  /** State of the additional data of the listing. */
  readonly facts: FactsState | undefined
  readonly askFacts: () => void
}

const EMPTY: ResourcesView = { count: 0, total: 0, first: 0, rows: [] }
const BY_FIRST: Sorting = { column: 0, isDescending: false }

export const useResources = ({
  search = '',
  scope = '',
  sorted = BY_FIRST,
  ...request
}: ResourceListOptions): ResourceList => {
  const [view, setView] = useState(EMPTY)
  const [sorting, setSorting] = useState(sorted)
  const at = asOfIndex.value
  const viewport: ResourcesViewport = { search, scope, sorting, at }
  const { state, send, see } = useWorkerSession(
    clientInfo => ({ open: 'resources', clientInfo, request: { ...request, isPast: at !== undefined } }),
    { viewport },
    message => setView(message && 'resources' in message ? message.resources : EMPTY)
  )
  return {
    state,
    count: view.count,
    total: view.total,
    refusal: view.refusal,
    rowAt: place => view.rows[place - view.first],
    see,
    facts: view.facts,
    askFacts: () => send({ facts: true }),
    sorting,
    sortBy: column =>
      setSorting(before => ({ column, isDescending: before.column === column && !before.isDescending }))
  }
}

// The latest events of a stream. The worker retains them, and the page receives the visible lines.
export interface Lines extends Omit<LinesView, 'rows' | 'first'> {
  readonly state: StreamState
  readonly rowAt: (place: number) => LineRow | undefined
  readonly see: (span: Span) => void
  /** New events wait outside of the list. */
  readonly isHeld: boolean
  readonly hold: (isHeld: boolean) => void
  /** Replaces the lines of a full list with the next ones. */
  readonly more: () => void
}

const NO_LINES: LinesView = {
  count: 0,
  first: 0,
  rows: [],
  dropped: 0,
  waiting: 0,
  isFull: false,
  gaps: [],
  types: []
}

export const useLines = (request: LinesRequest): Lines => {
  const [view, setView] = useState(NO_LINES)
  const [isHeld, setHeld] = useState(false)
  const { state, send, see } = useWorkerSession(
    clientInfo => ({ open: 'lines', clientInfo, request }),
    undefined,
    message => {
      if (!message) setHeld(false)
      setView(message && 'lines' in message ? message.lines : NO_LINES)
    }
  )
  const { rows, first, ...rest } = view
  return {
    ...rest,
    state,
    rowAt: place => rows[place - first],
    see,
    isHeld,
    hold: next => {
      setHeld(next)
      send({ hold: next })
    },
    more: () => send({ more: true })
  }
}
