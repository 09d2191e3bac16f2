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
  readonly send: (message: WorkerRequest) => void
  readonly see: (span: Span) => void
}

/** @param opening another opens a new session @param viewport sent initially and after changes @param show undefined at the start */
export const useWorkerSession = (
  opening: (clientInfo: ClientInfo) => WorkerRequest,
  viewport: WorkerRequest | undefined,
  show: (message: FromWorker | undefined) => void
): WorkerSession => {
  const [state, setState] = useState<StreamState>('loading')
  const session = useRef<ListWorkerSession | null>(null)
  const span = useRef<Span>({ first: 0, last: 0 })
  const currentClient = client.value
  const openingText = JSON.stringify(opening({ address: '' }))
  const viewportText = JSON.stringify(viewport)
  useEffect(() => {
    setState('loading')
    show(undefined)
    const opened = openListWorkerSession(opening(createClientInfo()), message => {
      if ('state' in message) setState(message.state)
      else show(message)
    })
    session.current = opened
    if (viewport) opened.send(viewport)
    opened.send({ span: span.current })
    return opened.close
  }, [currentClient, openingText])
  useEffect(() => {
    if (viewport) session.current?.send(viewport)
  }, [viewportText])
  const see = (next: Span): void => {
    if (next.first === span.current.first && next.last === span.current.last) return
    span.current = next
    session.current?.send({ span: next })
  }
  return { state, send: message => session.current?.send(message), see }
}
