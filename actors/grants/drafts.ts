// What a caller may write of the links and identities of a token or role (spec: acl.md §6, §7).
import type { NodeIdentity, ServiceIdentity } from '../../events/acl-links.js'

/** A link as a caller writes it: the ID alone decides when it is given (acl.md §6.1). */
export interface LinkDraft {
  readonly ID?: string
  readonly Name?: string
}

/** What tokens and roles have in common. */
export interface GrantDraft {
  readonly Policies: readonly LinkDraft[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
}

/** What holds links and identities, for rules that differ and texts that name it. */
export interface Holder {
  readonly kind: 'token' | 'role'
  /** Valid only in the datacenter where it was made. */
  readonly local: boolean
}
