// A session with the worker of the lists, for as long as a part of the page is there.
import { useEffect, useRef, useState } from 'preact/hooks'
import { client } from '../session/session.js'
import {
  createClientInfo,
  openListWorkerSession,
  type ListWorkerSession,
  type WorkerRequest
} from './list-worker-client.js'
import type { StreamState } from './stream-state.js'
import type { ClientInfo, FromWorker, Span } from './worker/protocol.js'

interface WorkerSession {
  readonly state: StreamState
  readonly say: (message: WorkerRequest) => void
  /** Says which rows are in view. */
  readonly see: (span: Span) => void
}

/**
 * @param opening what is asked; a new session is opened when that is another
 * @param first said when the session is open, and again when it is something else
 * @param show gets what the worker shows; undefined when a new session begins
 */
export const useWorkerSession = (
  opening: (asker: ClientInfo) => WorkerRequest,
  first: WorkerRequest | undefined,
  show: (message: FromWorker | undefined) => void
): WorkerSession => {
  const [state, setState] = useState<StreamState>('loading')
  const session = useRef<ListWorkerSession | null>(null)
  const span = useRef<Span>({ first: 0, last: 0 })
  const asking = client.value
  const question = JSON.stringify(opening({ address: '' }))
  const said = JSON.stringify(first)
  useEffect(() => {
    setState('loading')
    show(undefined)
    const opened = openListWorkerSession(opening(createClientInfo()), message => {
      if ('state' in message) setState(message.state)
      else show(message)
    })
    session.current = opened
    if (first) opened.say(first)
    opened.say({ span: span.current })
    return opened.close
  }, [asking, question])
  useEffect(() => {
    if (first) session.current?.say(first)
  }, [said])
  const see = (next: Span): void => {
    if (next.first === span.current.first && next.last === span.current.last) return
    span.current = next
    session.current?.say({ span: next })
  }
  return { state, say: message => session.current?.say(message), see }
}
