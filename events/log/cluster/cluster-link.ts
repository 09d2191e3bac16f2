// The connection between the log of a server and the shared log of its cluster.
import type { SharedLog, Term } from './shared-log.js'

/** Receives the reason: another server may lead, or the own disk lacks shared commits. */
type Deposed = (cause: unknown) => void

/** Remains in place when a copy replaces the files of the log. */
export class ClusterLink {
  readonly #listeners = new Set<Deposed>()
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
    for (const listener of this.#listeners) listener(cause)
  }

  /** Calls the listener when an append proves that another server leads. Returns a function that unsubscribes. */
  onDeposed(listener: Deposed): () => void {
    const own: Deposed = cause => listener(cause)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }
}
