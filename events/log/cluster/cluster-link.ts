// The connection between the log of a server and the shared log of its cluster.
import { EventEmitter } from 'eventemitter3'
import { messageOf } from '../../errors.js'
import type { RecordGroup } from '../record-group.js'
import { WriteFailure, type GroupOrder, type Head } from '../store.js'
import { TermEnded, type Settlement, type SharedLog, type Term } from './shared-log.js'

/** Remains in place when a copy replaces the files of the log. */
export class ClusterLink implements GroupOrder {
  readonly #signals = new EventEmitter<{ deposed: [cause: unknown] }>()
  #term: Term | undefined

  constructor(readonly shared: SharedLog) {}

  /** The term of the appends; undefined while the server does not append. */
  get term(): Term | undefined {
    return this.#term
  }

  /** Appends for a term from now on. The log must hold all shared commits. */
  lead(term: Term): void {
    this.#term = term
  }

  /** Stops appending. `StoredLog.settled` waits for earlier appends. */
  follow(): void {
    this.#term = undefined
  }

  depose(cause: unknown): void {
    this.#term = undefined
    this.#signals.emit('deposed', cause)
  }

  /**
   * Appends a group to the shared log, then to this disk.
   * @throws WriteFailure `unchanged` if another server leads or the shared log is full; `unknown` if only this disk failed,
   *   when the group is in the log
   */
  async write(group: RecordGroup, before: Head, store: () => Promise<void>): Promise<void> {
    const term = this.#term
    if (!term) throw new WriteFailure('this server does not lead', 'unchanged')
    if ((await this.#append(term, before, group)) === 'refuted') {
      const failure = new WriteFailure('another server leads', 'unchanged')
      this.depose(failure)
      throw failure
    }
    try {
      await store()
    } catch (cause) {
      // What comes next could not continue what is shared.
      this.depose(cause)
      throw new WriteFailure(messageOf(cause), 'unknown', { cause })
    }
  }

  async #append(term: Term, before: Head, group: RecordGroup): Promise<Settlement> {
    try {
      return await this.shared.append(term, before, group)
    } catch (cause) {
      if (!(cause instanceof WriteFailure) || cause instanceof TermEnded) this.depose(cause)
      if (cause instanceof WriteFailure) throw cause
      throw new WriteFailure(messageOf(cause), 'unknown', { cause })
    }
  }

  /** Calls the listener when another server may lead or the own disk lacks shared commits. Returns a function that unsubscribes. */
  onDeposed(listener: (cause: unknown) => void): () => void {
    this.#signals.on('deposed', listener)
    return () => void this.#signals.off('deposed', listener)
  }
}
