// Follows the feed of the main process in a worker, and knows how far the worker is behind.
import type { Readable } from 'node:stream'
import type { Committer } from '../../../actors/committer.js'
import type { Timers } from '../../../actors/clock.js'
import type { ErasureNotice } from '../../../events/log/cluster/worker-feed.js'
import type { SharedCounter } from '../../../events/log/cluster/shared-counter.js'
import { framesOf, type FeedStart, type Frame } from '../../../events/log/cluster/socket-frames.js'
import { LogUnusable } from '../../../events/log/log.js'
import type { StoredRecord } from '../../../events/log/record.js'
import type { FedStore } from '../../../events/log/segments/read-only-store.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import type { ToWorkers } from './message-types.js'

interface FeedTarget {
  readonly log: SegmentEventLog
  readonly store: FedStore
  readonly committer: Committer
  readonly timers: Pick<Timers, 'setTimeout' | 'clearTimeout'>
}

interface FeedHandlers {
  /** Receives messages that are not part of the log. */
  readonly heard: (message: Exclude<ToWorkers, ErasureNotice>) => void | Promise<void>
  /** Called after an erasure. */
  readonly erased: () => void
  /** Called when messages were dropped. The retained ones follow. */
  readonly onRestart: () => void
}

/** The worker did not catch up in time. */
class Behind extends Error {
  override readonly name = 'Behind'
}

export class FeedFollower {
  /** The position up to which everything is applied. */
  #taken = -1
  #waiters: { readonly position: number; readonly resolve: () => void }[] = []
  /** Resolves when the worker has caught up with the start of the feed. */
  readonly begun: Promise<void>
  #begin: () => void = () => {}
  #hasBegun = false
  #isRetired = false
  #handlers: FeedHandlers | undefined
  /** Settles when the feed ends; rejects if it cannot be followed. */
  followed: Promise<void> = Promise.resolve()

  /** @param position of the newest message */
  constructor(
    private readonly position: Pick<SharedCounter, 'value'>,
    private readonly fed: FeedTarget
  ) {
    this.begun = new Promise(resolve => (this.#begin = resolve))
  }

  /** The worker has applied everything that was sent before this call. Costs a microsecond. */
  get isCurrent(): boolean {
    return this.#taken >= this.position.value
  }

  /** Resolves when everything sent before this call is applied. @throws Behind after `ms` */
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

  /** Applies the feed until it ends, and resolves when the worker has caught up. @throws LogUnusable if the feed ends before */
  async follow(feed: Readable, handlers: FeedHandlers): Promise<void> {
    this.#handlers = handlers
    this.followed = this.#follow(feed)
    await Promise.race([
      this.begun,
      this.followed.then(() => {
        throw new LogUnusable('the main process has ended')
      })
    ])
  }

  /** @throws RecordRefused LogUnusable LogDamage if the feed cannot be followed */
  async #follow(feed: Readable): Promise<void> {
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

  /** Reads missed commits from the files. */
  async #catchUp({ durable, newest, retained }: FeedStart<ToWorkers>): Promise<void> {
    const { log, store } = this.fed
    store.learn(durable, newest)
    if (this.#hasBegun) {
      await this.#forgetRead()
      this.#handlers?.erased()
      this.#handlers?.onRestart()
    }
    this.#hasBegun = true
    while (log.durableIndex < durable) await this.#ingest(await store.page(log.durableIndex + 1, durable))
    for (const message of retained) await this.#hear(message)
  }

  /** Ignores further records, which belong to another log. */
  retire(): void {
    this.#isRetired = true
  }

  #ingest(records: readonly StoredRecord[]): Promise<void> {
    const { log, committer } = this.fed
    return log.ingest(records, commits => committer.follow(commits))
  }

  async #hear(message: ToWorkers): Promise<void> {
    if (message.kind !== 'erasure') return this.#handlers?.heard(message)
    await this.#forgetRead()
    if (message.isDone) this.#handlers?.erased()
  }

  /** Drops cached data of files that another process has changed. */
  async #forgetRead(): Promise<void> {
    const { log } = this.fed
    await log.erase([{ index: log.durableIndex }])
  }
}
