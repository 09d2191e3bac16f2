// What ties the log of one server to what the servers of its cluster share.
import type { SharedLog, Term } from './shared-log.js'

/** Why a server leads no more: another one may, or what it has on its own disk is no longer all that is shared. */
type Deposed = (cause: unknown) => void

/** Outlives the files of the log, in whose place those of a copy may come. */
export class ClusterLink {
  readonly #listeners = new Set<Deposed>()
  #term: Term | undefined

  constructor(readonly shared: SharedLog) {}

  /** For which everything is appended; undefined while nothing is. */
  get term(): Term | undefined {
    return this.#term
  }

  /** From now on what is appended is appended for a term. The log must hold all that is shared. */
  lead(term: Term): void {
    this.#term = term
  }

  /** From now on nothing is appended. What was is settled all the same: see `StoredLog.settled`. */
  follow(): void {
    this.#term = undefined
  }

  /** As `follow`, and tells why. */
  depose(cause: unknown): void {
    this.#term = undefined
    for (const listener of this.#listeners) listener(cause)
  }

  /** Calls when an append shows that this server leads no more. Returns how to stop. */
  onDeposed(listener: Deposed): () => void {
    const own: Deposed = cause => listener(cause)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }
}
