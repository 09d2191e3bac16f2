// A server of a cluster that has only its log, for tests: it leads on request, and follows otherwise.
import { setImmediate } from 'node:timers/promises'
import type { Commit } from '../../events/envelope.js'
import {
  followSharedLog,
  type LogFollowerDependencies,
  type PeerLogs
} from '../../events/log/cluster/log-follower.js'
import { ClusterLink } from '../../events/log/cluster/cluster-link.js'
import { SharedUnreachable, type Member } from '../../events/log/cluster/shared-log.js'
import { LogFailure } from '../../events/log/log.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import type { StoredRecord } from '../../events/log/record.js'
import { collect, commitOf } from '../events/commits.js'
import { MemorySharedLog } from './memory-shared-log.js'
import type { MemoryMembership, SharedMemory } from './shared-memory.js'

export const memberOf = (id: string, flushed = 0): Member => ({
  id,
  name: `node-${id}`,
  address: `http://${id}:8500`,
  bind: id,
  meta: {},
  version: '0',
  at: 0,
  flushed,
  lastContact: 0
})

export const noPeers: PeerLogs = {
  records() {
    throw new SharedUnreachable('no server can be reached')
  }
}

/** The outcome of a commit that a server has decided. */
export type ServerEnd = 'durable' | 'unchanged' | 'unknown'

export class LogServer {
  readonly shared: MemorySharedLog
  readonly link: ClusterLink
  readonly log: MemoryEventLog
  /** The commits in its read models. */
  applied: Commit[] = []
  /** Number of rebuilds from the log. */
  rebuilt = 0
  membership: MemoryMembership | undefined
  #following: { readonly stop: AbortController; readonly done: Promise<void> } | undefined
  #rebuilding: Promise<void> | undefined

  #failsNext = false

  constructor(
    readonly id: string,
    private readonly memory: SharedMemory
  ) {
    this.shared = new MemorySharedLog(memory)
    this.link = new ClusterLink(this.shared)
    this.log = new MemoryEventLog({
      beforeFlush: () => this.#flush(),
      order: this.link
    })
  }

  /** Fails the next write to its disk, once. */
  failNextFlush(): void {
    this.#failsNext = true
  }

  async #flush(): Promise<void> {
    if (!this.#failsNext) return
    this.#failsNext = false
    throw new Error('EIO (made by the test)')
  }

  /** Follows until `stop`. Rejects on a failure. */
  follow(parts: Partial<LogFollowerDependencies> = {}): Promise<void> {
    const stop = new AbortController()
    const { peers = noPeers } = parts
    const done = followSharedLog(
      {
        log: this.log,
        take: records => this.#take(records),
        shared: this.shared,
        peers,
        replace: signal => this.#copy(peers, signal),
        report: () => {},
        pause: () => setImmediate(),
        ...parts
      },
      stop.signal
    )
    this.#following = { stop, done }
    return done
  }

  /** Stops following. */
  async stop(): Promise<void> {
    this.#following?.stop.abort()
    await this.#following?.done
    this.#following = undefined
  }

  /** Becomes the leader with everything shared, unless another server leads or the shared log is unreachable. */
  async lead(): Promise<boolean> {
    try {
      if (!this.membership || !this.memory.memberships.has(this.membership))
        this.membership = await this.shared.join()
      await this.log.settled()
      await this.#rebuilding
      const term = await this.membership.campaign(memberOf(this.id))
      if (!term) return false
      const { head } = await this.shared.read()
      while (this.log.durableIndex < head.index) await setImmediate()
      await this.stop()
      this.link.lead(term)
      return true
    } catch (error) {
      if (error instanceof SharedUnreachable) return false
      throw error
    }
  }

  /** Decides a commit from its current read models. */
  async decide(marker: string): Promise<{ readonly index: number; readonly end: ServerEnd }> {
    const commit = commitOf(this.applied.length + 1, { marker })
    this.applied.push(commit)
    try {
      await this.log.append([commit])
      return { index: commit.Index, end: 'durable' }
    } catch (error) {
      if (!(error instanceof LogFailure)) throw error
      const end = error.outcome === 'unknown' && commit.Index <= error.upTo ? 'unknown' : 'unchanged'
      await (this.#rebuilding ??= this.#rebuild())
      return { index: commit.Index, end }
    }
  }

  async #rebuild(): Promise<void> {
    this.rebuilt++
    this.applied = await collect(this.log.read(1))
    await this.log.recover()
    this.#rebuilding = undefined
  }

  /** Copies its log like the files of a peer. */
  async #copy(peers: PeerLogs, signal: AbortSignal): Promise<void> {
    for await (const records of peers.records(1, signal)) await this.#take(records)
  }

  async #take(records: readonly StoredRecord[]): Promise<void> {
    for (;;)
      try {
        return await this.log.ingest(records, commits => this.applied.push(...commits))
      } catch (error) {
        if (!(error instanceof LogFailure)) throw error
        await setImmediate()
        await (this.#rebuilding ?? this.log.recover())
      }
  }
}
