// The latest events of a stream. The worker retains them, and the page receives the visible lines.
import { useState } from 'preact/hooks'
import type { StreamState } from './stream-state.js'
import { useWorkerSession } from './use-worker-session.js'
import type { LineRow, LinesRequest, LinesView, Span } from './worker/protocol.js'

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

const EMPTY: LinesView = {
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
  const [view, setView] = useState(EMPTY)
  const [isHeld, setHeld] = useState(false)
  const { state, send, see } = useWorkerSession(
    clientInfo => ({ open: 'lines', clientInfo, request }),
    undefined,
    message => {
      if (!message) setHeld(false)
      setView(message && 'lines' in message ? message.lines : EMPTY)
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
