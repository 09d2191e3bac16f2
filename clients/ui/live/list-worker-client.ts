// The page's side of the worker of the lists, which is started when the first list is looked at.
import { client } from '../session/session.js'
import { whenReachable } from './connectivity.js'
import type { ClientInfo, FromWorker, ToWorker } from './worker/protocol.js'

type Told = (message: FromWorker) => void
type Without<Message> = Message extends unknown ? Omit<Message, 'id'> : never
/** What is said in a session. */
export type WorkerRequest = Without<ToWorker>

/** What one part of a page reads. */
export interface ListWorkerSession {
  readonly say: (message: WorkerRequest) => void
  readonly close: () => void
}

const told = new Map<number, Told>()
let worker: Worker | undefined
let sessions = 0

/** Nothing is handed over: all of it is copied. */
const send = (to: Worker, message: ToWorker): void => to.postMessage(message, [])

const started = (): Worker => {
  const made = new Worker(new URL('./worker/main.ts', import.meta.url), { type: 'module', name: 'lists' })
  made.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => told.get(data.id)?.(data))
  made.addEventListener('error', ({ message }) => {
    // The next list that is opened tries with a new one.
    if (worker === made) worker = undefined
    const refused = `The worker of the lists has failed: ${message || 'it was not loaded'}`
    for (const [id, tell] of told) tell({ id, state: { refused, status: 0 } })
  })
  whenReachable(isGivenUp => {
    if (worker !== made) return
    for (const id of told.keys()) send(made, { id, retry: { isGivenUp } })
  })
  return made
}

/** Who looks now. */
export const createClientInfo = (): ClientInfo => {
  const { address, token } = client.value.connection
  return { address, ...(token === undefined ? {} : { token }) }
}

export const openListWorkerSession = (opening: WorkerRequest, tell: Told): ListWorkerSession => {
  const to = (worker ??= started())
  const id = ++sessions
  told.set(id, tell)
  const say = (message: WorkerRequest): void => send(to, { ...message, id })
  say(opening)
  return {
    say,
    close: () => {
      told.delete(id)
      say({ close: true })
    }
  }
}
