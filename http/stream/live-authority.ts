// The permissions of a secret, kept up to date while it has open streams (spec: stream.md §14 row 14).
import type { Committer } from '../../actors/committer.js'
import { UNRESOLVED_TOKENS, type Authority } from '../../projections/acl/resolver.js'
import type { Views } from '../../projections/read-models.js'
import type { WatchKey } from '../../projections/watch.js'

/** Sets whose changes may change the permissions of a token. */
export const PERMISSION_KEYS: readonly WatchKey[] = ['policies', 'roles', 'namespaces']

interface AuthorityListener {
  /** Called when the permissions may have changed; undefined if the token is no longer valid. */
  onAuthority(authority: Authority | undefined): void
}

/**
 * Shared by all streams of a secret. A change costs one resolution per secret with streams; changes of other tokens cost nothing.
 */
export class LiveAuthority {
  readonly listeners = new Set<AuthorityListener>()
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

  /** Nothing from this index on may be sent until the permissions are resolved again. */
  get heldFrom(): number {
    return this.#heldFrom
  }

  lifted(): Promise<void> {
    if (this.#heldFrom === Infinity) return Promise.resolve()
    return new Promise(resolve => this.#whenLifted.push(resolve))
  }

  close(): void {
    this.#closed = true
    this.#stopWatching()
    this.#lift()
  }

  recheck(): void {
    if (this.#closed) return
    this.#heldFrom = Math.min(this.#heldFrom, this.views.index)
    void this.#recheck(++this.#checks)
  }

  async #recheck(check: number): Promise<void> {
    // The read models must have applied the whole commit that triggered this.
    await this.committer.readable()
    const authority = this.#resolve()
    try {
      // The permissions may depend on commits that are not durable.
      await this.committer.durable()
    } catch {
      // The log failed: the read models are being rebuilt.
      return this.recheck()
    }
    if (this.#closed) return
    if (check === this.#checks) this.#lift()
    for (const listener of this.listeners) listener.onAuthority(authority)
  }

  #lift(): void {
    this.#heldFrom = Infinity
    for (const resolve of this.#whenLifted.splice(0)) resolve()
  }

  /** Resolves and watches synchronously, so that no change is missed. */
  #resolve(): Authority | undefined {
    this.#stopWatching()
    const authority = this.views.resolver.resolve(this.secret, this.now())
    if (!authority || this.#closed) return authority
    const accessor = authority.token?.token.AccessorID.toLowerCase()
    const keys = accessor === undefined ? [UNRESOLVED_TOKENS] : [`token/${accessor}`, ...PERMISSION_KEYS]
    this.#stopWatching = this.views.watch.wait(keys, () => this.recheck())
    return authority
  }
}
