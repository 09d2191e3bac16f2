// What the holder of a secret may see, kept up to date while streams of that secret are open (spec: stream.md §14 row 14).
import type { Committer } from '../../actors/committer.js'
import { UNRESOLVED_TOKENS, type Authority } from '../../projections/acl/resolver.js'
import type { Views } from '../../projections/read-models.js'
import type { WatchKey } from '../../projections/watch.js'

/** Whatever changes in these sets may change what a token grants. */
const LINKED: readonly WatchKey[] = ['policies', 'roles', 'namespaces']

interface AuthorityListener {
  /** The rights are others now, or are to be asked again; undefined: the token is valid no more. */
  onAuthority(authority: Authority | undefined): void
}

/**
 * Shared by all streams of a secret. A change costs one resolution for each secret that has streams, not one for each
 * stream; changes of other tokens cost nothing.
 */
export class LiveAuthority {
  readonly #listeners = new Set<AuthorityListener>()
  #checks = 0
  #heldFrom = Infinity
  #stopWatching: () => void = () => {}
  #closed = false
  #whenLifted: (() => void)[] = []

  constructor(
    private readonly secret: string | undefined,
    private readonly views: Views,
    private readonly committer: Committer,
    private readonly now: () => number
  ) {
    this.#resolve()
  }

  /** Nothing of this index or later may be sent yet: what the rights are there is being looked at. */
  get heldFrom(): number {
    return this.#heldFrom
  }

  /** Resolves when nothing is held back. */
  lifted(): Promise<void> {
    if (this.#heldFrom === Infinity) return Promise.resolve()
    return new Promise(resolve => this.#whenLifted.push(resolve))
  }

  get isUnused(): boolean {
    return this.#listeners.size === 0
  }

  add(listener: AuthorityListener): void {
    this.#listeners.add(listener)
  }

  delete(listener: AuthorityListener): void {
    this.#listeners.delete(listener)
  }

  close(): void {
    this.#closed = true
    this.#stopWatching()
    this.#lift()
  }

  /** Asks again who the secret belongs to: a link has changed, or the token has expired. */
  recheck(): void {
    if (this.#closed) return
    this.#heldFrom = Math.min(this.#heldFrom, this.views.index)
    void this.#recheck(++this.#checks)
  }

  async #recheck(check: number): Promise<void> {
    // Later in this step, when every read model has the commit that woke us.
    await this.committer.readable()
    const authority = this.#resolve()
    try {
      // The rights may rest on commits that a crash could still take back.
      await this.committer.durable()
    } catch {
      // The log failed: the read models are being rebuilt.
      return this.recheck()
    }
    if (this.#closed) return
    if (check === this.#checks) this.#lift()
    for (const listener of this.#listeners) listener.onAuthority(authority)
  }

  #lift(): void {
    this.#heldFrom = Infinity
    for (const resolve of this.#whenLifted.splice(0)) resolve()
  }

  /** Looks and watches what it saw in one step, so that no change is missed. */
  #resolve(): Authority | undefined {
    this.#stopWatching()
    const authority = this.views.resolver.resolve(this.secret, this.now())
    if (!authority || this.#closed) return authority
    const accessor = authority.token?.token.AccessorID.toLowerCase()
    const keys = accessor === undefined ? [UNRESOLVED_TOKENS] : [`token/${accessor}`, ...LINKED]
    this.#stopWatching = this.views.watch.wait(keys, () => this.recheck())
    return authority
  }
}
