import {
  SharedMismatch,
  type SharedRecords,
  type ClusterSeed,
  type ClusterFounding,
  type Member,
  type Membership,
  type Settlement,
  type SharedMembers,
  type SharedLog,
  type SharedState,
  type SharedUsage,
  type Term
} from '../cluster/shared-log.js'
import type { RecordGroup } from '../record-group.js'
import type { Head } from '../store.js'
import { Appender } from './appender.js'
import { EtcdClient, type EtcdAddress } from './client.js'
import { compact } from './compaction.js'
import { SharedLogWatcher } from './shared-log-watcher.js'
import { formatValue, headValue, keysUnder, readFormat, readMember, type Keys } from './keys.js'
import { joinCluster } from './membership.js'
import * as etcd from './messages.js'
import { CoalescedReads, NewestObservation, type EtcdContext } from './coalesced-reads.js'
import { systemTimers, type TimerPort } from './timer-port.js'
import { Windows } from './windows.js'

interface EtcdSettings extends EtcdAddress {
  /** What all keys of the cluster begin with: `/annals`. */
  readonly prefix: string
  /** For how long a member counts as one that is not heard of, in ms; whole seconds. */
  readonly leaseTtl: number
}

export class EtcdSharedLog implements SharedLog {
  readonly #leaseTtl: number
  readonly #client: EtcdClient
  readonly #keys: Keys
  readonly #context: EtcdContext
  readonly #appender: Appender
  readonly #closed = new AbortController()

  constructor({ prefix, leaseTtl, ...address }: EtcdSettings, time: TimerPort = systemTimers) {
    this.#leaseTtl = leaseTtl
    const client = (this.#client = new EtcdClient(address))
    const keys = (this.#keys = keysUnder(prefix))
    const seen = new NewestObservation()
    const reads = new CoalescedReads(client, keys, seen, time)
    this.#context = { client, keys, seen, reads, windows: new Windows(client, keys), time }
    this.#appender = new Appender(this.#context)
  }

  async clusterSeed(): Promise<ClusterSeed | undefined> {
    const { kvs = [] } = await this.#client.ask(etcd.RANGE, { key: this.#keys.format })
    const [format] = kvs
    return format && readFormat(format.value)
  }

  async createCluster(foundation: ClusterSeed, head: Head): Promise<ClusterSeed> {
    const { format } = this.#keys
    const answer = await this.#client.ask(etcd.TXN, {
      compare: [etcd.isAbsent(format)],
      success: this.#begin(foundation, head),
      failure: [etcd.range({ key: format })]
    })
    return answer.succeeded ? foundation : readFormat(etcd.foundBy(answer, 0)[0]?.value)
  }

  async restoreHead(
    { foundation, head }: ClusterFounding,
    instead: ClusterFounding | undefined
  ): Promise<void> {
    const { format, head: headKey, leader, log, parts, terms } = this.#keys
    const gone = [log, parts, terms].map(({ key, rangeEnd }) => etcd.removeRange(key, rangeEnd))
    const answer = await this.#client.ask(etcd.TXN, {
      compare: instead
        ? [
            etcd.valueIs(format, formatValue(instead.foundation)),
            etcd.valueIs(headKey, headValue(instead.head, instead.foundation.cluster))
          ]
        : [etcd.isAbsent(format)],
      success: [etcd.remove(leader), ...gone, ...this.#begin(foundation, head)],
      failure: [etcd.range({ key: format })]
    })
    // By a try whose answer was lost, it may be done already.
    const [found] = answer.succeeded ? [] : etcd.foundBy(answer, 0)
    const isDone = answer.succeeded || (found && readFormat(found.value).cluster === foundation.cluster)
    if (!isDone)
      throw new SharedMismatch(
        'what the servers share has changed since it was looked at, and stays: look again'
      )
  }

  read(): Promise<SharedState> {
    return this.#context.reads.read()
  }

  onRead(listener: (state: SharedState) => void): () => void {
    return this.#context.reads.onRead(listener)
  }

  append(term: Term, before: Head, group: RecordGroup): Promise<Settlement> {
    return this.#appender.append(term, before, group)
  }

  follow(from: number, signal: AbortSignal): AsyncGenerator<SharedRecords, void> {
    return new SharedLogWatcher(
      this.#context,
      from,
      AbortSignal.any([signal, this.#closed.signal])
    ).arrivals()
  }

  join(): Promise<Membership> {
    return joinCluster(this.#context, this.#leaseTtl, this.#closed.signal)
  }

  async members(): Promise<SharedMembers> {
    const { nodes, joined } = this.#keys
    const success = [nodes, joined].map(({ key, rangeEnd }) => etcd.range({ key, rangeEnd }))
    const answer = await this.#client.ask(etcd.TXN, { success })
    const membersIn = (at: number): readonly Member[] =>
      etcd.foundBy(answer, at).map(({ value }) => readMember(value))
    return { live: membersIn(0), joined: membersIn(1) }
  }

  async forget(id: string): Promise<void> {
    await this.#client.ask(etcd.TXN, { success: [etcd.remove(this.#keys.joined.named(id))] })
  }

  compact(term: Term, floor: number): Promise<number> {
    return compact(this.#context, term, floor)
  }

  async usage(): Promise<SharedUsage> {
    const { dbSizeInUse: bytes = 0, errors = [] } = await this.#client.ask(etcd.STATUS, {})
    return { bytes, isFull: errors.some(error => error.includes('NOSPACE')) }
  }

  close(): Promise<void> {
    this.#closed.abort()
    this.#client.close()
    return Promise.resolve()
  }

  #begin(foundation: ClusterSeed, head: Head): ReturnType<typeof etcd.put>[] {
    const { format, head: headKey, floor } = this.#keys
    return [
      etcd.put(format, formatValue(foundation)),
      etcd.put(headKey, headValue(head, foundation.cluster)),
      etcd.put(floor, Buffer.from(String(head.index + 1)))
    ]
  }
}
