// From the links that a caller writes to those that are stored (spec: acl.md §6.1).
import type { Link } from '../../events/acl-links.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Views } from '../../projections/views.js'
import { invalid } from '../refusal.js'
import { within } from '../same-tenancy.js'
import type { LinkDraft } from './drafts.js'

/** How links of one kind are looked up; both answers are undefined where nothing is found. */
export interface LinkTargets {
  readonly kind: 'policy' | 'role'
  byId(id: string): string | undefined
  byName(name: string): Link | undefined
}

const resolve = (link: LinkDraft, targets: LinkTargets): Link => {
  if (link.ID) {
    const Name = targets.byId(link.ID)
    if (Name === undefined) throw invalid(`No such ACL ${targets.kind} with ID "${link.ID}"`)
    return { ID: link.ID.toLowerCase(), Name }
  }
  const found = link.Name ? targets.byName(link.Name) : undefined
  if (!found) throw invalid(`No such ACL ${targets.kind} with name "${link.Name ?? ''}"`)
  return found
}

/**
 * Links by ID, in the order written, each target once.
 * @throws Refusal `invalid` for the first link without a target
 */
export const resolveLinks = (
  links: readonly LinkDraft[],
  targetsIn: (tenancy: Tenancy, views: Views) => LinkTargets,
  tenancy: Tenancy,
  views: Views
): readonly Link[] => {
  if (links.length === 0) return NONE
  const targets = targetsIn(tenancy, views)
  return [...new Map(links.map(link => resolve(link, targets)).map(link => [link.ID, link])).values()]
}

/** Shared by all that link to nothing. */
const NONE: readonly never[] = []

/** The policies that things of a tenancy may link to: those of the same tenancy (tenancy.md §6.1). */
export const policyTargets = (tenancy: Tenancy, views: Views): LinkTargets => ({
  kind: 'policy',
  byId: id => within(views.policies.get(id), tenancy)?.policy.Name,
  byName: name => {
    const row = views.policies.named(tenancy, name)
    return row && { ID: row.policy.ID, Name: row.policy.Name }
  }
})

/** The roles that tokens of a tenancy may link to. */
export const roleTargets = (tenancy: Tenancy, views: Views): LinkTargets => ({
  kind: 'role',
  byId: id => within(views.roles.get(id), tenancy)?.role.Name,
  byName: name => {
    const row = views.roles.named(tenancy, name)
    return row && { ID: row.role.ID, Name: row.role.Name }
  }
})
