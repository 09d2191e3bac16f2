import { useEffect, useRef, useState } from 'preact/hooks'
import { client } from '../session/session.js'
import type { StreamState } from './stream-state.js'
import type { ClientInfo, FromWorker, Span, ToWorker } from './worker/protocol.js'
import { whenReachable } from './connectivity.js'

type Listener = (message: FromWorker) => void
type Without<Message> = Message extends unknown ? Omit<Message, 'id'> : never
/** A message without its session. */
type WorkerRequest = Without<ToWorker>

/** The connection of one component with the worker. */
interface ListWorkerSession {
  readonly send: (message: WorkerRequest) => void
  readonly close: () => void
}

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

const openListWorkerSession = (opening: WorkerRequest, listener: Listener): ListWorkerSession => {
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
