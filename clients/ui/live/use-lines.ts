// The events of a stream as they come: the worker keeps the newest, and the page has the lines in view.
import { useState } from 'preact/hooks'
import type { StreamState } from './stream-state.js'
import { useWorkerSession } from './use-worker-session.js'
import type { LineRow, LinesRequest, LinesView, Span } from './worker/protocol.js'

export interface Lines extends Omit<LinesView, 'rows' | 'first'> {
  readonly state: StreamState
  readonly rowAt: (place: number) => LineRow | undefined
  readonly see: (span: Span) => void
  /** Whether what comes waits outside of the list. */
  readonly isHeld: boolean
  readonly hold: (isHeld: boolean) => void
  /** Lets go of the lines of a full list for those that come next. */
  readonly more: () => void
}

const NOTHING: LinesView = {
  count: 0,
  first: 0,
  rows: [],
  dropped: 0,
  waiting: 0,
  isFull: false,
  gaps: [],
  types: []
}

export const useLines = (asked: LinesRequest): Lines => {
  const [view, setView] = useState(NOTHING)
  const [isHeld, setHeld] = useState(false)
  const { state, say, see } = useWorkerSession(
    asker => ({ open: 'lines', asker, asked }),
    undefined,
    message => {
      if (!message) setHeld(false)
      setView(message && 'lines' in message ? message.lines : NOTHING)
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
      say({ hold: next })
    },
    more: () => say({ more: true })
  }
}
