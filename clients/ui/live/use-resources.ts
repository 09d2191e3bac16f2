// A list of things as it is now, or was at the moment that is looked at, however long: the worker keeps it, and the page has the rows in view.
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
  ResourcesView
} from './worker/protocol.js'

interface ResourceListOptions
  extends Omit<ResourcesRequest, 'isPast'>, Partial<Pick<ResourcesViewport, 'search' | 'scope'>> {
  /** How it is sorted until somebody chooses; by the first column when absent. */
  readonly sorted?: Sorting
}

export interface ResourceList<State extends object = object> {
  readonly state: StreamState
  /** How many rows the search lets through. */
  readonly count: number
  readonly total: number
  /** Why only those are listed that the token may see, in the words of the server; undefined where it may see all. */
  readonly refusal: string | undefined
  /** A row by its place; undefined when it is not in view, or not here yet. */
  readonly rowAt: (place: number) => ResourceRow<State> | undefined
  /** Says which rows are in view. */
  readonly see: (span: Span) => void
  readonly sorting: Sorting
  /** Sorts by a column; the other way round when it is sorted by it. */
  readonly sortBy: (column: number) => void
  /** How it stands with what no event tells of the things. */
  readonly facts: FactsState | undefined
  /** Asks for that again. */
  readonly askFacts: () => void
}

const NOTHING: ResourcesView = { count: 0, total: 0, first: 0, rows: [] }
const BY_FIRST: Sorting = { column: 0, isDescending: false }

/** The rows of a listing, which `things/listings.ts` has by its name. */
export const useResources = ({
  search = '',
  scope = '',
  sorted = BY_FIRST,
  ...asked
}: ResourceListOptions): ResourceList => {
  const [view, setView] = useState(NOTHING)
  const [sorting, setSorting] = useState(sorted)
  const at = asOfIndex.value
  const look: ResourcesViewport = { search, scope, sorting, at }
  const { state, say, see } = useWorkerSession(
    asker => ({ open: 'resources', asker, asked: { ...asked, isPast: at !== undefined } }),
    { look },
    message => setView(message && 'resources' in message ? message.resources : NOTHING)
  )
  return {
    state,
    count: view.count,
    total: view.total,
    refusal: view.refusal,
    rowAt: place => view.rows[place - view.first],
    see,
    facts: view.facts,
    askFacts: () => say({ facts: true }),
    sorting,
    sortBy: column =>
      setSorting(before => ({ column, isDescending: before.column === column && !before.isDescending }))
  }
}
