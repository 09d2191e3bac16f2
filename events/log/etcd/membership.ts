// A server's part in the cluster: one lease, which carries its announcement and, when it leads, the leadership.
import { randomInt } from 'node:crypto'
import { EventEmitter } from 'eventemitter3'
import {
  JoinRefused,
  SharedUnreachable,
  type Member,
  type Membership,
  type Term
} from '../cluster/shared-log.js'
import { isStillLeader } from './appender.js'
import { EtcdFailure } from './client.js'
import { leaderValue, memberValue, newNonce, readHead } from './keys.js'
import * as etcd from './messages.js'
import type { EtcdContext } from './coalesced-reads.js'

/** Of one renewal, in ms. */
const DEADLINE = 700
/** After a renewal without an answer, in ms. */
const PAUSE = 100
/** Numbers of leases are our own, since those of etcd are too large for a double. */
const LARGEST_LEASE = 2 ** 48 - 1

/** @param ttl of the lease, in ms. @param closed ends the renewals of the lease. @throws SharedUnreachable */
export async function joinCluster(
  context: EtcdContext,
  ttl: number,
  closed: AbortSignal
): Promise<Membership> {
  const id = randomInt(1, LARGEST_LEASE)
  const sentAt = context.time.elapsed()
  const { TTL = 0 } = await context.client.call(etcd.LEASE_GRANT, { ID: id, TTL: Math.ceil(ttl / 1000) })
  return new EtcdMembership(context, { id, ttl: TTL * 1000, sentAt, closed })
}

interface Lease {
  readonly id: number
  /** In ms, from when it was asked for. */
  readonly ttl: number
  readonly sentAt: number
  readonly closed: AbortSignal
}

class EtcdMembership implements Membership {
  readonly #ended = new AbortController()
  readonly #signals = new EventEmitter<{ lost: [] }>()
  readonly #renewing: Promise<void>
  #validUntil: number

  constructor(
    private readonly context: EtcdContext,
    private readonly lease: Lease
  ) {
    this.#validUntil = lease.sentAt + lease.ttl
    this.#renewing = this.#renew(AbortSignal.any([this.#ended.signal, lease.closed]))
  }

  get validUntil(): number {
    return this.#validUntil
  }

  async announce(member: Member): Promise<void> {
    const { nodes, joined, names } = this.context.keys
    const value = memberValue(member)
    const name = names.named(member.name.toLowerCase())
    const success = [
      etcd.put(nodes.named(member.id), value, this.lease.id),
      etcd.put(joined.named(member.id), value),
      etcd.put(name, Buffer.from(member.id), this.lease.id)
    ]
    const failure = [etcd.range({ key: name })]
    const again = await this.#write({
      compare: [etcd.valueIs(name, Buffer.from(member.id))],
      success,
      failure
    })
    if (again.succeeded) return
    const first = await this.#write({ compare: [etcd.isAbsent(name)], success, failure })
    if (first.succeeded) return
    const holder = Buffer.from(etcd.foundBy(first, 0)[0]?.value ?? []).toString()
    // By a try whose answer was lost, it may be done already.
    if (holder !== member.id)
      throw new JoinRefused(`node_name ${member.name} belongs to the live server with node ID ${holder}`)
  }

  async campaign({ id, address }: Member): Promise<Term | undefined> {
    const { client, keys, seen } = this.context
    for (;;) {
      this.#assertHeld()
      const before = seen.newest
      const success = [etcd.range({ key: keys.head }), etcd.range({ key: keys.leader })]
      const found = await client.ask(etcd.TXN, { success })
      const [head] = etcd.foundBy(found, 0)
      seen.check(readHead(head?.value), before)
      const [leader] = etcd.foundBy(found, 1)
      // Won by a campaign whose response was lost.
      if (leader?.lease === this.lease.id)
        await this.#write({
          compare: [etcd.valueIs(keys.leader, leader.value ?? Buffer.alloc(0))],
          success: [etcd.remove(keys.leader)]
        })
      else if (leader) return undefined
      else {
        const nonce = newNonce()
        const epoch = await this.#lead(
          leaderValue({ id, address, nonce }),
          nonce,
          head?.value ?? Buffer.alloc(0)
        )
        if (epoch !== undefined) return { epoch, nonce }
      }
    }
  }

  async resign(term: Term): Promise<void> {
    const { keys } = this.context
    if (this.#ended.signal.aborted) return
    await this.#write({ compare: isStillLeader(keys, term), success: [etcd.remove(keys.leader)] })
  }

  onLost(listener: () => void): () => void {
    this.#signals.once('lost', listener)
    return () => void this.#signals.off('lost', listener)
  }

  async close(): Promise<void> {
    this.#signals.removeAllListeners()
    this.#end()
    await this.#renewing
    await this.#revoke()
  }

  /** @returns the epoch; undefined when somebody else leads or the head has moved */
  async #lead(leader: Buffer, nonce: string, head: Uint8Array): Promise<number | undefined> {
    const { client, keys } = this.context
    const { succeeded, header } = await this.#asMember(() =>
      client.call(etcd.TXN, {
        compare: [etcd.isAbsent(keys.leader), etcd.valueIs(keys.head, head)],
        success: [etcd.put(keys.leader, leader, this.lease.id), etcd.put(keys.terms.named(nonce), head)]
      })
    )
    return succeeded ? header?.revision : undefined
  }

  /** What may be made twice. */
  async #write(request: etcd.TxnRequest): Promise<etcd.TxnResponse> {
    this.#assertHeld()
    return this.#asMember(() => this.context.client.ask(etcd.TXN, request))
  }

  /** Has something done by the lease, which is lost when etcd says that there is none. */
  async #asMember<T>(work: () => Promise<T>): Promise<T> {
    return work().catch((error: unknown) => {
      if (error instanceof EtcdFailure && error.isNotFound) this.#lose()
      throw error
    })
  }

  #assertHeld(): void {
    if (this.#ended.signal.aborted)
      throw new SharedUnreachable('this server is no longer a member of the cluster')
  }

  /** Renews the lease until it is closed or ends. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { time } = this.context
    let pause = this.lease.ttl / 3
    while (!signal.aborted) {
      await time.pause(Math.min(pause, Math.max(0, this.#validUntil - time.elapsed())), signal)
      if (signal.aborted) return
      const sentAt = time.elapsed()
      const ttl =
        sentAt < this.#validUntil ? await this.#keepAlive(Math.min(DEADLINE, this.#validUntil - sentAt)) : 0
      if (signal.aborted) return
      if (ttl === 0) this.#lose()
      else if (ttl !== undefined) this.#validUntil = sentAt + ttl * 1000
      pause = ttl === undefined ? PAUSE : this.lease.ttl / 3
    }
  }

  /** @returns for how long the lease lasts from now on, in s; 0 when there is none any more, undefined without an answer */
  async #keepAlive(deadline: number): Promise<number | undefined> {
    try {
      return (await this.context.client.call(etcd.LEASE_KEEP_ALIVE, { ID: this.lease.id }, deadline)).TTL ?? 0
    } catch (error) {
      if (!(error instanceof SharedUnreachable)) throw error
      return undefined
    }
  }

  #lose(): void {
    if (this.#ended.signal.aborted) return
    this.#end()
    this.#signals.emit('lost')
    void this.#revoke()
  }

  #end(): void {
    this.#ended.abort()
    this.#validUntil = -Infinity
  }

  /** Ends the lease early. It expires by itself if this fails. */
  async #revoke(): Promise<void> {
    await this.context.client.ask(etcd.LEASE_REVOKE, { ID: this.lease.id }).catch(() => {})
  }
}
