// A list of resources of any length. The worker maintains it, and the page receives the visible rows.
import { useEffect, useRef, useState } from 'preact/hooks'
import { client } from '../session/session.js'
import type { StreamState } from './stream-state.js'
import type {
  ClientInfo,
  FromWorker,
  Span,
  ToWorker,
  WorkerRequest,
  Sorting,
  ResourceRow,
  ResourcesRequest,
  ResourcesViewport,
  ResourcesView,
  LineRow,
  LinesRequest,
  LinesView
} from './worker/protocol.js'
import { whenReachable } from './connectivity.js'
import { asOfIndex } from '../time-travel/as-of-state.js'

type Listener = (message: FromWorker) => void

const listeners = new Map<number, Listener>()
let worker: Worker | undefined
let sessions = 0

// No transfer list: all data is copied.
const post = (target: Worker, message: ToWorker): void => target.postMessage(message, [])

const startWorker = (): Worker => {
  const started = new Worker(new URL('./worker/main.ts', import.meta.url), { type: 'module', name: 'lists' })
  started.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => listeners.get(data.id)?.(data))
  started.addEventListener('error', ({ message }) => {
    // The next list starts a new worker.
    if (worker === started) worker = undefined
    const failure = `The worker of the lists has failed: ${message || 'it was not loaded'}`
    for (const [id, listener] of listeners) listener({ id, state: { refused: failure, status: 0 } })
  })
  whenReachable(isGivenUp => {
    if (worker !== started) return
    for (const id of listeners.keys()) post(started, { id, retry: { isGivenUp } })
  })
  return started
}

const createClientInfo = (): ClientInfo => {
  const { address, token } = client.value.connection
  return { address, token }
}

const openListWorkerSession = (opening: WorkerRequest, listener: Listener) => {
  const target = (worker ??= startWorker())
  const id = ++sessions
  listeners.set(id, listener)
  const send = (message: WorkerRequest): void => post(target, { ...message, id })
  send(opening)
  return {
    send,
    close: () => {
      listeners.delete(id)
      send({ close: true })
    }
  }
}

/** @param opening another opens a new session @param viewport sent initially and after changes @param show undefined at the start */
const useWorkerSession = (
  opening: (clientInfo: ClientInfo) => WorkerRequest,
  viewport: ResourcesViewport | undefined,
  show: (message: FromWorker | undefined) => void
) => {
  const [state, setState] = useState<StreamState>('loading')
  const session = useRef<ReturnType<typeof openListWorkerSession>>(null)
  const span = useRef<Span>({ first: 0, last: 0 })
  const currentClient = client.value
  const openingText = JSON.stringify(opening({ address: '' }))
  const { only, ...rest } = viewport ?? {}
  const viewportText = JSON.stringify(rest)
  useEffect(() => {
    setState('loading')
    show(undefined)
    const opened = openListWorkerSession(opening(createClientInfo()), message => {
      if ('state' in message) setState(message.state)
      else show(message)
    })
    session.current = opened
    if (viewport) opened.send({ viewport })
    opened.send({ span: span.current })
    return opened.close
  }, [currentClient, openingText])
  useEffect(() => {
    if (viewport) session.current?.send({ viewport })
  }, [viewportText, only])
  const see = (next: Span): void => {
    if (next.first === span.current.first && next.last === span.current.last) return
    span.current = next
    session.current?.send({ span: next })
  }
  return { state, send: (message: WorkerRequest) => session.current?.send(message), see }
}

export interface ResourceListOptions
  extends Omit<ResourcesRequest, 'isPast'>, Partial<Pick<ResourcesViewport, 'search' | 'scope' | 'only'>> {
  /** The initial sorting; by the first column when absent. */
  readonly sorted?: Sorting
}

const EMPTY: ResourcesView = { count: 0, total: 0, first: 0, rows: [] }
const BY_FIRST: Sorting = { column: 0, isDescending: false }

export const useResources = ({
  search = '',
  scope = '',
  only,
  sorted = BY_FIRST,
  ...request
}: ResourceListOptions) => {
  const [view, setView] = useState(EMPTY)
  const [sorting, setSorting] = useState(sorted)
  const at = asOfIndex.value
  const viewport: ResourcesViewport = { search, scope, sorting, at, only }
  const { state, send, see } = useWorkerSession(
    clientInfo => ({ open: 'resources', clientInfo, request: { ...request, isPast: at !== undefined } }),
    viewport,
    message => setView(message && 'resources' in message ? message.resources : EMPTY)
  )
  const { rows, first, ...rest } = view
  return {
    ...rest,
    state,
    /** Returns the row at an index; undefined outside the viewport, or while it loads. */
    rowAt: (place: number): ResourceRow | undefined => rows[place - first],
    see,
    askFacts: () => send({ facts: true }),
    sorting,
    /** Sorts by a column, or reverses the order of the current one. */
    sortBy: (column: number): void =>
      setSorting(before => ({ column, isDescending: before.column === column && !before.isDescending }))
  }
}

export type ResourceList = ReturnType<typeof useResources>

// The latest events of a stream. The worker retains them, and the page receives the visible lines.
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
export const useLines = (request: LinesRequest) => {
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
    rowAt: (place: number): LineRow | undefined => rows[place - first],
    see,
    /** New events wait outside of the list. */
    isHeld,
    hold: (next: boolean): void => {
      setHeld(next)
      send({ hold: next })
    },
    /** Replaces the lines of a full list with the next ones. */
    more: () => send({ more: true })
  }
}

export type Lines = ReturnType<typeof useLines>
