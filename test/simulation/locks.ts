// Operations on sessions and locks: each client has one session at a time.
import type { Archive } from './archive.js'
import { HistoryError, type History, type WriteSeen } from './history.js'
import { isTrue, type Requests } from './requests.js'

const LOCKS = 3
const OK = 200
const NOT_FOUND = 404
/** In ms; the shortest that is allowed. */
const TTL = 10_000

interface Session {
  readonly id: string
  /** When the last successful request that renewed it was sent, in ms of virtual time. */
  renewedAt: number
}

export const lockName = (number: number): string => `lock/${number}`

export class LockOperations {
  #session: Session | undefined

  constructor(private readonly requests: Requests) {}

  readonly choices: readonly (() => Promise<unknown>)[] = [
    () => this.#write('acquire'),
    () => this.#write('release'),
    () => this.#renew(),
    () => this.#destroy()
  ]

  async #create(): Promise<void> {
    const { world } = this.requests.scene
    const sentAt = world.now
    const body = JSON.stringify({
      TTL: `${TTL / 1000}s`,
      LockDelay: '0s',
      NodeChecks: [],
      Behavior: this.requests.random.below(2) === 0 ? 'release' : 'delete'
    })
    const reply = await this.requests.send({ method: 'PUT', path: '/v1/session/create', body })
    if (reply.kind === 'answered' && reply.status === OK)
      this.#session = { id: JSON.parse(reply.text).ID, renewedAt: sentAt }
  }

  async #write(action: 'acquire' | 'release'): Promise<void> {
    const session = this.#session
    if (!session) return this.#create()
    const key = lockName(this.requests.random.below(LOCKS))
    const operation: WriteSeen = {
      kind: 'write',
      key,
      value: this.requests.newValue(),
      outcome: 'unknown',
      ...(action === 'release' ? { holder: session.id } : {})
    }
    const path = `/v1/kv/${key}?${action}=${session.id}`
    await this.requests.write(operation, { method: 'PUT', path, body: operation.value }, isTrue)
  }

  async #renew(): Promise<void> {
    const session = this.#session
    if (!session) return this.#create()
    const { world, history } = this.requests.scene
    const sentAt = world.now
    const reply = await this.requests.send({ method: 'PUT', path: `/v1/session/renew/${session.id}` })
    if (reply.kind !== 'answered') return
    if (reply.status === OK) session.renewedAt = sentAt
    if (reply.status !== NOT_FOUND) return
    this.#session = undefined
    const age = world.now - session.renewedAt
    if (age < TTL) history.earlyEnds.push({ session: session.id, age })
  }

  async #destroy(): Promise<void> {
    const session = this.#session
    if (!session) return this.#create()
    this.#session = undefined
    await this.requests.send({ method: 'PUT', path: `/v1/session/destroy/${session.id}` })
  }
}

/** In ms: how long after its last renewal a session may still be there, at the latest: a server ends none for a minute after its clock jumped. */
export const SESSION_END = 60_000 + 3 * TTL

/** @throws HistoryError if a session ended before its time, or took a lock that another one held */
export const checkLocks = ({ events, restoredSessions }: Archive, { earlyEnds }: History): void => {
  const early = earlyEnds.find(({ session }) => !restoredSessions.has(session))
  if (early) throw new HistoryError(`session ${early.session} ended ${early.age} ms after it was renewed`)
  const holders = new Map<string, string>()
  for (const { Index, Type, Key, Payload, isRestored } of events) {
    const { Session } = Payload.KV
    const holder = holders.get(Key)
    if (!isRestored && Type === 'KVLock' && holder !== undefined && holder !== Session)
      throw new HistoryError(`commit ${Index} took the lock ${Key} of session ${holder} for ${Session}`)
    if (Session && Type !== 'KVDelete') holders.set(Key, Session)
    else holders.delete(Key)
  }
}
