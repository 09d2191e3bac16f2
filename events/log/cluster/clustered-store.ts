// The engine of a server of a cluster: what it appends is durable when it is shared, and then on its own disk.
import type { Erasing } from '../../erasing.js'
import type { RecordGroup } from '../group.js'
import type { LogPiece, Room } from '../log.js'
import type { StoredRecord } from '../record.js'
import { WriteFailure, type Head, type RecordStore } from '../store.js'
import type { ClusterLink } from './link.js'
import type { Settlement, Term } from './shared-log.js'

export class ClusteredStore implements RecordStore {
  readonly #own: RecordStore
  readonly #link: ClusterLink

  /** @param own is on this server's disk */
  constructor(own: RecordStore, link: ClusterLink) {
    this.#own = own
    this.#link = link
  }

  get head(): Head {
    return this.#own.head
  }

  get start(): Head {
    return this.#own.start
  }

  /**
   * Appends a group to what is shared, and then to this disk. It may take long to be certain of the first.
   * @throws WriteFailure `unchanged` when another server leads, or what is shared takes no more; `unknown` when only this disk has
   *   failed: then it is in the log
   */
  async write(group: RecordGroup): Promise<void> {
    const { term } = this.#link
    if (!term) throw new WriteFailure('this server does not lead', 'unchanged')
    if ((await this.#append(term, group)) === 'refuted') {
      const failure = new WriteFailure('another server leads', 'unchanged')
      this.#link.depose(failure)
      throw failure
    }
    try {
      await this.#own.write(group)
    } catch (cause) {
      // What comes next could not continue what is shared.
      this.#link.depose(cause)
      throw new WriteFailure(messageOf(cause), 'unknown', { cause })
    }
  }

  async #append(term: Term, group: RecordGroup): Promise<Settlement> {
    try {
      return await this.#link.shared.append(term, this.#own.head, group)
    } catch (cause) {
      if (cause instanceof WriteFailure) throw cause
      this.#link.depose(cause)
      throw new WriteFailure(messageOf(cause), 'unknown', { cause })
    }
  }

  receive(group: RecordGroup): Promise<void> {
    return this.#own.write(group)
  }

  page(from: number, to: number): Promise<readonly StoredRecord[]> {
    return this.#own.page(from, to)
  }

  pieces(): Promise<readonly LogPiece[]> {
    return this.#own.pieces()
  }

  letGo(upTo: number): Promise<void> {
    return this.#own.letGo(upTo)
  }

  erase(parts: readonly Erasing[]): Promise<number> {
    return this.#own.erase(parts)
  }

  async nextOf(topics: readonly string[], from: number): Promise<number> {
    return this.#own.nextOf?.(topics, from) ?? from
  }

  candidates(hash: number, from: number): AsyncIterable<number> {
    return this.#own.candidates(hash, from)
  }

  candidatesBack(hash: number, from: number): AsyncIterable<number> {
    return this.#own.candidatesBack(hash, from)
  }

  reopen(): Promise<Exclude<Room, 'none'>> {
    return this.#own.reopen()
  }

  close(): Promise<void> {
    return this.#own.close()
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
