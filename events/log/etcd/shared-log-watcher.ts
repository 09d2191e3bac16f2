import { RESTORE_HINT, SharedMismatch, SharedUnreachable, type SharedRecords } from '../cluster/shared-log.js'
import { EtcdFailure } from './client.js'
import { WATCH } from './messages.js'
import type { EtcdContext } from './coalesced-reads.js'
import { WindowCompacted, type Window } from './windows.js'

/** In ms, between two reads of the head. Changes of the leader are watched. */
const POLL = 1000
/** In ms: a watch that misses existing records for so long counts as broken. */
const DEAF_AFTER = 1000
/** In ms, before all is asked for again. */
const PAUSE = 100
const NO_DELETIONS = 1

export class SharedLogWatcher {
  /** Begin of the wait for the watch, in ms; undefined while its events are processed. */
  #waitingSince: number | undefined

  constructor(
    private readonly context: EtcdContext,
    /** Index of the next record. */
    private next: number,
    private readonly signal: AbortSignal
  ) {}

  async *arrivals(): AsyncGenerator<SharedRecords, void> {
    const { reads, time } = this.context
    while (!this.signal.aborted) {
      const { head } = await reads.read()
      if (head.index < this.next - 1)
        throw new SharedMismatch(
          `this server holds commit ${this.next - 1}, and the log in etcd ends at ${head.index}; ${RESTORE_HINT}`
        )
      const stored = yield* this.#stored(head.index)
      if (stored === 'gone') return
      if (stored !== 'again') yield* this.#watched(stored + 1)
      await time.pause(PAUSE, this.signal)
    }
  }

  /** Yields the stored records. @returns their revision; `gone` if the first was compacted, `again` if that happened meanwhile */
  async *#stored(head: number): AsyncGenerator<SharedRecords, number | 'gone' | 'again'> {
    const windows = this.context.windows.from(this.next)
    try {
      let found = await windows.next()
      for (; !found.done; found = await windows.next()) {
        const arrival = this.#arrivalOf(found.value)
        if (arrival === 'gap') {
          yield { kind: 'gone', floor: found.value.first }
          return 'gone'
        }
        if (arrival) yield arrival
        if (this.signal.aborted) return 'gone'
      }
      if (this.next > head) return found.value
    } catch (error) {
      if (error instanceof WindowCompacted || (error instanceof EtcdFailure && error.isCompacted))
        return 'again'
      throw error
    }
    yield { kind: 'gone', floor: head + 1 }
    return 'gone'
  }

  /** The records that come from a revision on, until nothing more can be trusted to come. */
  async *#watched(startRevision: number): AsyncGenerator<SharedRecords> {
    const { client, keys, windows, time } = this.context
    const { key, rangeEnd } = keys.log
    const ended = new AbortController()
    const polling = Promise.all([this.#poll(ended), this.#watchLeader(ended.signal)])
    const createRequest = { key, rangeEnd, startRevision, filters: [NO_DELETIONS], fragment: true }
    this.#waitingSince = time.elapsed()
    try {
      for await (const { events = [], canceled } of client.stream(
        WATCH,
        { createRequest },
        AbortSignal.any([this.signal, ended.signal])
      )) {
        if (canceled) break
        this.#waitingSince = undefined
        for (const { kv } of events) {
          const arrival = this.#arrivalOf(await windows.read(kv ?? {}))
          if (arrival === 'gap') return
          if (arrival) yield arrival
        }
        this.#waitingSince = time.elapsed()
      }
    } catch (error) {
      if (!(error instanceof EtcdFailure || error instanceof WindowCompacted)) throw error
    } finally {
      ended.abort()
    }
    const [fault] = await polling
    if (fault) throw fault
  }

  /** Reads the shared state as soon as the leader key changes. */
  async #watchLeader(signal: AbortSignal): Promise<void> {
    const { client, keys, reads, time } = this.context
    while (!signal.aborted) {
      try {
        for await (const { canceled } of client.stream(
          WATCH,
          { createRequest: { key: keys.leader } },
          signal
        )) {
          if (canceled) break
          await reads.read()
        }
      } catch (error) {
        // The poll reports what is wrong with the head.
        if (!(error instanceof SharedUnreachable || error instanceof SharedMismatch)) throw error
      }
      await time.pause(PAUSE, signal)
    }
  }

  /**
   * Reads the head over and over: what a watch does not tell of is noticed so, and what is wrong with the head. Ends the watch then.
   * @returns what is wrong, but for an etcd that cannot be reached
   */
  async #poll(ended: AbortController): Promise<Error | undefined> {
    const { client, reads, time } = this.context
    let aheadSince: number | undefined
    for (;;) {
      await time.pause(POLL, ended.signal)
      if (ended.signal.aborted) return undefined
      try {
        const { head } = await reads.recent(POLL)
        const now = time.elapsed()
        aheadSince = head.index >= this.next ? (aheadSince ?? now) : undefined
        if (now - Math.max(aheadSince ?? now, this.#waitingSince ?? now) < DEAF_AFTER) continue
        client.turn()
        ended.abort()
      } catch (error) {
        ended.abort()
        if (error instanceof SharedUnreachable) return undefined
        return error instanceof Error ? error : new Error(String(error))
      }
    }
  }

  /** What is new in a window; nothing when all of it has arrived, `gap` when something before it is missing. */
  #arrivalOf({ first, records }: Window): SharedRecords | 'gap' | undefined {
    if (first > this.next) return 'gap'
    const fresh = records.slice(this.next - first)
    this.next += fresh.length
    return fresh.length > 0 ? { kind: 'records', records: fresh } : undefined
  }
}
