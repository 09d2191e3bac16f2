// The connection between the log of a server and the shared log of its cluster.
import { EventEmitter } from 'eventemitter3'
import type { SharedLog, Term } from './shared-log.js'

/** Remains in place when a copy replaces the files of the log. */
export class ClusterLink {
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

  /** Calls the listener when another server may lead or the own disk lacks shared commits. Returns a function that unsubscribes. */
  onDeposed(listener: (cause: unknown) => void): () => void {
    this.#signals.on('deposed', listener)
    return () => void this.#signals.off('deposed', listener)
  }
}
