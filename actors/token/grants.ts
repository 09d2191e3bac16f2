// What a token or role grants: its links and identities, checked in the order of the spec (acl.md §3.3, §6, §7).
import type { Link, NodeIdentity, ServiceIdentity } from '../../events/acl-links.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Views } from '../../projections/views.js'
import { within } from '../same-tenancy.js'
import type { TokenDraft } from './commands.js'
import { checkNodeIdentities, checkServiceIdentities, resolveLinks, type LinkTargets } from './links.js'

export interface Grants {
  readonly Policies: readonly Link[]
  readonly Roles: readonly Link[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
}

/** The policies that things of a tenancy may link to: those of the same tenancy (tenancy.md §6.1). */
export const policyTargets = (tenancy: Tenancy, views: Views): LinkTargets => ({
  kind: 'policy',
  byId: id => within(views.policies.get(id), tenancy)?.policy.Name,
  byName: name => {
    const row = views.policies.named(tenancy, name)
    return row && { ID: row.policy.ID, Name: row.policy.Name }
  }
})

const roleTargets: LinkTargets = { kind: 'role', byId: () => undefined, byName: () => undefined }

/** @throws Refusal `invalid` for the first link without a target or identity that breaks a rule */
export const grantsOf = (draft: TokenDraft, tenancy: Tenancy, views: Views): Grants => ({
  Policies: resolveLinks(draft.Policies, policyTargets(tenancy, views)),
  Roles: resolveLinks(draft.Roles, roleTargets),
  ServiceIdentities: checkServiceIdentities(draft.ServiceIdentities, { kind: 'token', local: draft.Local }),
  NodeIdentities: checkNodeIdentities(draft.NodeIdentities, 'token')
})
