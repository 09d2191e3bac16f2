// A worker's side of the feed: takes what the main process has written, and knows whether it is behind.
import type { Readable } from 'node:stream'
import type { Committer } from '../../../actors/committer.js'
import type { Timers } from '../../../actors/timers.js'
import type { ErasureNotice } from '../../../events/log/cluster/publishing-store.js'
import type { WorkerStore } from '../../../events/log/cluster/worker-store.js'
import type { SharedCounter } from '../../../events/log/cluster/shared-counter.js'
import { framesOf, type FeedStart, type Frame } from '../../../events/log/cluster/socket-frames.js'
import type { StoredRecord } from '../../../events/log/record.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import type { ToWorkers } from './message-types.js'

/** What the feed is for. */
interface FeedTarget {
  readonly log: SegmentEventLog
  /** The engine of that log. */
  readonly store: WorkerStore
  readonly committer: Committer
  /** Told what is no part of the log. */
  readonly heard: (message: Exclude<ToWorkers, ErasureNotice>) => void | Promise<void>
  /** Parts of commits were erased. */
  readonly erased: () => void
  /** Something was left out of what is no part of the log: what of it still counts is told anew. */
  readonly onRestart: () => void
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
}

interface Waiter {
  readonly position: number
  readonly resolve: () => void
}

/** The worker did not come up to what was acknowledged in time. */
class Behind extends Error {
  override readonly name = 'Behind'
}

export class FeedFollower {
  /** Everything is taken that was told up to here. */
  #taken = -1
  #waiters: Waiter[] = []
  readonly #begun: Promise<void>
  #begin: () => void = () => {}
  #hasBegun = false
  #isRetired = false

  /** @param position of the newest thing that was told */
  constructor(
    private readonly position: Pick<SharedCounter, 'value'>,
    private readonly fed: FeedTarget
  ) {
    this.#begun = new Promise(resolve => (this.#begin = resolve))
  }

  /** Whether the read models show everything that anybody was told before this was asked. Costs a microsecond. */
  get isCurrent(): boolean {
    return this.#taken >= this.position.value
  }

  /** Resolves when everything is taken that was told when this was called. @throws Behind when that takes longer than `ms` */
  current(ms: number): Promise<void> {
    const position = this.position.value
    if (this.#taken >= position) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const { timers } = this.fed
      const timer = timers.setTimeout(() => {
        this.#waiters = this.#waiters.filter(other => other !== waiter)
        reject(new Behind(`this worker is behind for more than ${ms} ms`))
      }, ms)
      const waiter = {
        position,
        resolve: (): void => {
          timers.clearTimeout(timer)
          resolve()
        }
      }
      this.#waiters.push(waiter)
    })
  }

  /** Resolves when everything is taken that there was when the feed began. */
  get begun(): Promise<void> {
    return this.#begun
  }

  /**
   * Takes what is told, until the feed ends.
   * @throws RecordRefused LogUnusable LogDamage when it cannot be followed
   */
  async follow(feed: Readable): Promise<void> {
    for await (const frame of framesOf<ToWorkers>(feed)) {
      await this.#take(frame)
      this.#taken = frame.position
      this.#begin()
      const ready = this.#waiters.filter(({ position }) => position <= this.#taken)
      if (ready.length === 0) continue
      this.#waiters = this.#waiters.filter(({ position }) => position > this.#taken)
      for (const { resolve } of ready) resolve()
    }
  }

  async #take(frame: Frame<ToWorkers>): Promise<void> {
    switch (frame.kind) {
      case 'begin':
        return this.#catchUp(frame.beginning)
      case 'records': {
        const { records, newest } = frame
        if (this.#isRetired) return
        this.fed.store.learn(records.at(-1)?.index ?? 0, newest)
        return this.#ingest(records)
      }
      case 'message':
        return this.#hear(frame.message)
    }
  }

  /** Reads what it has missed from the files. */
  async #catchUp({ durable, newest, told }: FeedStart<ToWorkers>): Promise<void> {
    const { log, store, onRestart: beganAnew } = this.fed
    store.learn(durable, newest)
    if (this.#hasBegun) {
      await this.#forgetRead()
      this.fed.erased()
      beganAnew()
    }
    this.#hasBegun = true
    while (log.durableIndex < durable) await this.#ingest(await store.page(log.durableIndex + 1, durable))
    for (const message of told) await this.#hear(message)
  }

  /** From now on the records are those of another log. */
  retire(): void {
    this.#isRetired = true
  }

  #ingest(records: readonly StoredRecord[]): Promise<void> {
    const { log, committer } = this.fed
    return log.ingest(records, commits => committer.follow(commits))
  }

  async #hear(message: ToWorkers): Promise<void> {
    const { heard, erased } = this.fed
    if (message.kind !== 'erasure') return heard(message)
    await this.#forgetRead()
    if (message.isDone) erased()
  }

  /** The files were changed by another process: what was read of them before counts no more. */
  async #forgetRead(): Promise<void> {
    const { log } = this.fed
    await log.erase([{ index: log.durableIndex }])
  }
}
