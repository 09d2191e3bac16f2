import { setImmediate } from 'node:timers/promises'
import type { Commit, Event } from '../envelope.js'
import type { LogFailure } from './log.js'
import { partsOfEvents } from './record-buffer.js'
import type { RecordGroup } from './record-group.js'
import type { SecretsVault } from './secrets.js'
import { WriteFailure } from './store.js'

/** A group is closed when it holds this many bytes, so that one huge commit does not delay many small ones for long. */
export const GROUP_BYTES = 1024 * 1024
/** Events that are encoded in one turn of the event loop, some milliseconds. */
export const TURN_EVENTS = 256

/** Events whose parts are counted in one turn, which takes less. */
const COUNTED_EVENTS = 4096

/** Counts the parts of many events in several turns of the event loop. */
const partsOfMany = async (events: readonly Event[]): Promise<number> => {
  let count = 0
  for (let at = 0; at < events.length; at += COUNTED_EVENTS) {
    count += partsOfEvents(events.slice(at, at + COUNTED_EVENTS))
    await setImmediate()
  }
  return count
}

/** Turns of the event loop without a new commit, and ms, after which a flush begins: together they cost less than a flush. */
const IDLE_TURNS = 16
const IDLE_MS = 0.2

/** Waits before a flush for commits that can share it. */
export class CommitArrivals {
  /** Writers that presumably write at once: commits of the last flush, or half of those before it. */
  #writers = 0

  /** @param pending returns the number of commits that are appended and not flushed */
  constructor(private readonly pending: () => number) {}

  /** Notes that a flush has released so many commits. */
  released(commits: number): void {
    this.#writers = Math.max(commits, this.#writers >> 1)
  }

  /**
   * Waits until what has arrived by now is decided, and then for the writers that flushes have released, which write again. Otherwise the first of
   * them would be flushed alone, every other time.
   */
  async settle(): Promise<void> {
    let before = this.pending()
    let since = performance.now()
    for (let idle = 0; idle < IDLE_TURNS; idle++) {
      await setImmediate()
      const pending = this.pending()
      if (pending >= this.#writers) return
      if (pending > before) {
        before = pending
        since = performance.now()
        idle = 0
      } else if (performance.now() - since > IDLE_MS) return
    }
  }
}

/** Appends that share one promise. They are flushed in one group, or in several if they are encoded late. */
export class AppendBatch {
  /** Commits that are encoded when the batch is flushed, in several turns of the event loop. */
  readonly #late: { readonly commit: Commit; readonly frees: boolean }[] = []
  #encoded = 0
  readonly flushed: Promise<void>
  resolve: () => void = () => {}
  reject: (error: LogFailure) => void = () => {}

  /**
   * @param group of the commits that were encoded when they were appended
   * @param isLate true if all commits are encoded late
   */
  constructor(
    readonly group: RecordGroup,
    readonly isLate: boolean
  ) {
    this.flushed = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  get isEncoded(): boolean {
    return this.#encoded === this.#late.length
  }

  addLate(commits: readonly Commit[], frees: boolean): void {
    for (const commit of commits) this.#late.push({ commit, frees })
  }

  /**
   * Encodes late commits until the group is full or none is left.
   * @param before hash of the record before them
   * @returns the hash of the last record
   * @throws WriteFailure when one cannot be written as JSON
   */
  async encode(group: RecordGroup, before: Uint8Array, vault: SecretsVault): Promise<Uint8Array> {
    let hash = before
    let events = 0
    for (; group.size <= GROUP_BYTES; this.#encoded++) {
      const { commit, frees } = this.#late[this.#encoded] ?? {}
      if (!commit || frees === undefined) break
      try {
        const { Events } = commit
        const eventParts = Events.length > COUNTED_EVENTS ? await partsOfMany(Events) : undefined
        group.begin(commit, hash, eventParts)
        for (let at = 0; at < commit.Events.length; at += TURN_EVENTS) {
          group.addEvents(commit, at, at + TURN_EVENTS, vault)
          events += Math.min(TURN_EVENTS, commit.Events.length - at)
          if (events < TURN_EVENTS) continue
          await setImmediate()
          events = 0
        }
        hash = group.finish(commit, vault, frees)
        group.entries.origins.add(commit.By, commit.Index)
      } catch (cause) {
        throw new WriteFailure(`commit ${commit.Index} cannot be written as JSON`, 'unchanged', { cause })
      }
    }
    return hash
  }
}
