// Linearizable reads of the shared state, shared by all waiting callers.
import { EventEmitter } from 'eventemitter3'
import { RESTORE_HINT, SharedMismatch, type SharedState } from '../cluster/shared-log.js'
import { Coalescer } from '../../coalescer.js'
import type { Head } from '../store.js'
import type { EtcdClient } from './client.js'
import { readHead, readLeader, type ClusterHead, type Keys } from './keys.js'
import { foundBy, range, TXN } from './messages.js'
import type { TimerPort } from './timer-port.js'
import type { Windows } from './windows.js'

/** The connection to etcd and the state that its parts share. */
export interface EtcdContext {
  readonly client: EtcdClient
  readonly keys: Keys
  readonly seen: NewestObservation
  readonly reads: CoalescedReads
  readonly windows: Windows
  readonly time: TimerPort
}

/** The newest head that this server has seen of the cluster. The head never moves back. */
export class NewestObservation {
  #newest: ClusterHead | undefined

  /** Callers read it before a request, because responses may arrive in another order. */
  get newest(): ClusterHead | undefined {
    return this.#newest
  }

  /** @throws SharedMismatch when a head is of another cluster, or of a backup */
  check(head: ClusterHead, seen: ClusterHead | undefined): void {
    if (seen && head.cluster !== seen.cluster)
      throw new SharedMismatch(
        'etcd holds another cluster than before: its head was restored, or the cluster was created again'
      )
    if (seen && head.index < seen.index)
      throw new SharedMismatch(
        `the log in etcd ends at commit ${head.index}, and ended at ${seen.index} before: etcd was put back from a backup; ${RESTORE_HINT}`
      )
    if (seen && head.index === seen.index && !sameHash(head, seen))
      throw new SharedMismatch(
        `commit ${head.index} in etcd is another one than before: etcd was put back from a backup, and went on from there; ${RESTORE_HINT}`
      )
    if (!this.#newest || head.index > this.#newest.index) this.#newest = head
  }
}

export const sameHash = (a: Head, b: Head): boolean => Buffer.from(a.hash).equals(b.hash)

export class CoalescedReads {
  readonly #signals = new EventEmitter<{ read: [state: SharedState] }>()
  readonly #reads = new Coalescer(() => this.#ask())
  #last: SharedState | undefined

  constructor(
    private readonly client: EtcdClient,
    private readonly keys: Keys,
    private readonly seen: NewestObservation,
    private readonly time: TimerPort
  ) {}

  read(): Promise<SharedState> {
    return this.#reads.ask()
  }

  /** Returns the result of the last read unless it was sent more than so many ms ago, and reads otherwise. */
  async recent(ms: number): Promise<SharedState> {
    const last = this.#last
    return last && this.time.elapsed() - last.askedAt < ms ? last : this.read()
  }

  onRead(listener: (state: SharedState) => void): () => void {
    this.#signals.on('read', listener)
    return () => void this.#signals.off('read', listener)
  }

  async #ask(): Promise<SharedState> {
    const askedAt = this.time.elapsed()
    const seen = this.seen.newest
    const { head: headKey, leader: leaderKey, floor: floorKey } = this.keys
    const success = [headKey, leaderKey, floorKey].map(key => range({ key }))
    const answer = await this.client.ask(TXN, { success })
    const head = readHead(foundBy(answer, 0)[0]?.value)
    this.seen.check(head, seen)
    const [leader] = foundBy(answer, 1)
    const floor = Number(Buffer.from(foundBy(answer, 2)[0]?.value ?? []).toString()) || head.index + 1
    const state: SharedState = {
      head,
      leader: leader && { ...readLeader(leader.value), epoch: leader.createRevision ?? 0 },
      floor,
      askedAt
    }
    this.#last = state
    this.#signals.emit('read', state)
    return state
  }
}
