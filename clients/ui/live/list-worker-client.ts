import { client } from '../session/session.js'
import { whenReachable } from './connectivity.js'
import type { ClientInfo, FromWorker, ToWorker } from './worker/protocol.js'

type Listener = (message: FromWorker) => void
type Without<Message> = Message extends unknown ? Omit<Message, 'id'> : never
/** A message without its session. */
export type WorkerRequest = Without<ToWorker>

/** The connection of one component with the worker. */
export interface ListWorkerSession {
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

export const createClientInfo = (): ClientInfo => {
  const { address, token } = client.value.connection
  return { address, token }
}

export const openListWorkerSession = (opening: WorkerRequest, listener: Listener): ListWorkerSession => {
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
