// Operations on personal data: each client writes versions of an entry of its own, and has the superseded ones erased.
import type { Requests } from './requests.js'

const OK = 200
/** In ms: how long after the faults the last files are rewritten, at most. Failed erasures are tried again every minute. */
export const ERASURE_END = 180_000

/** The newest acknowledged orders by the key of their entry: the index up to which its versions are erased. */
export type Orders = Map<string, number>

/** An event of a log that may have been erased. */
export interface ErasableEvent {
  readonly Index: number
  readonly Key: string
  readonly isErased: boolean
}

export class ErasureOperations {
  constructor(private readonly requests: Requests) {}

  readonly choices: readonly (() => Promise<unknown>)[] = [() => this.#write(), () => this.#erase()]

  #write(): Promise<unknown> {
    const body = JSON.stringify({
      Kind: 'service-defaults',
      Name: this.requests.name,
      Meta: { person: this.requests.newValue() }
    })
    return this.requests.send({ method: 'PUT', path: '/v1/config', body })
  }

  async #erase(): Promise<void> {
    const { requests } = this
    const key = `service-defaults/${requests.name}`
    const body = JSON.stringify({ Topic: 'ConfigEntry', Key: key, Scope: 'history', Reason: 'simulation' })
    const reply = await requests.send({ method: 'POST', path: '/v1/event/erase', body })
    if (reply.kind !== 'answered' || reply.status !== OK) return
    const { UpTo }: { UpTo: number } = JSON.parse(reply.text)
    requests.scene.orders.set(key, Math.max(requests.scene.orders.get(key) ?? 0, UpTo))
  }
}

/** Returns an event that an acknowledged order has not reached; undefined if there is none. */
export const notErased = (orders: Orders, events: readonly ErasableEvent[]): ErasableEvent | undefined => {
  const newest = new Map<string, number>()
  for (const { Key, Index } of events) if (Index <= (orders.get(Key) ?? 0)) newest.set(Key, Index)
  return events.find(({ Key, Index, isErased }) => !isErased && Index < (newest.get(Key) ?? 0))
}
