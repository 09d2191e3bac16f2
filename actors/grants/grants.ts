// What a token or role grants: its links and identities, checked in the order of the spec (acl.md §3.3, §5 to §7).
import type { Link, NodeIdentity, ServiceIdentity } from '../../events/acl-links.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Views } from '../../projections/views.js'
import type { GrantDraft, Holder, LinkDraft } from './drafts.js'
import { checkNodeIdentities, checkServiceIdentities } from './identities.js'
import { policyTargets, resolveLinks, roleTargets } from './links.js'

/** As stored. */
export interface Grants {
  readonly Policies: readonly Link[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
}

/** @throws Refusal `invalid` for the first link without a target or identity that breaks a rule */
export const grantsOf = (draft: GrantDraft, holder: Holder, tenancy: Tenancy, views: Views): Grants => ({
  Policies: resolveLinks(draft.Policies, policyTargets, tenancy, views),
  ServiceIdentities: checkServiceIdentities(draft.ServiceIdentities, holder),
  NodeIdentities: checkNodeIdentities(draft.NodeIdentities, holder, tenancy)
})

/** Grants and roles of a token. @throws Refusal `invalid` as `grantsOf` */
export const tokenGrantsOf = (
  draft: GrantDraft & { readonly Roles: readonly LinkDraft[]; readonly Local: boolean },
  tenancy: Tenancy,
  views: Views
): Grants & { readonly Roles: readonly Link[] } => {
  const Policies = resolveLinks(draft.Policies, policyTargets, tenancy, views)
  const Roles = resolveLinks(draft.Roles, roleTargets, tenancy, views)
  const holder: Holder = { kind: 'token', local: draft.Local }
  return {
    Policies,
    Roles,
    ServiceIdentities: checkServiceIdentities(draft.ServiceIdentities, holder),
    NodeIdentities: checkNodeIdentities(draft.NodeIdentities, holder, tenancy)
  }
}
