import type { Tenancy } from '../../../events/envelope.js'
import type { DirectGrants } from '../collect-rules.js'
import { linksText } from '../resolver.js'

/** The links and identities of a token or login. */
export interface Grants {
  readonly grants: DirectGrants
  readonly tenancy: Tenancy
}

export interface GrantsWithText extends Grants {
  /** The same for the same links, which another thread restores from it. */
  readonly text: string
}

export const withText = (grants: DirectGrants, tenancy: Tenancy): GrantsWithText => ({
  grants,
  tenancy,
  text: linksText(grants, tenancy)
})

type Links = readonly [
  tenancy: Tenancy,
  policies: readonly string[],
  roles: readonly string[],
  services: DirectGrants['ServiceIdentities'],
  nodes: DirectGrants['NodeIdentities'],
  rules: string | null
]

const linkTo = (ID: string): { readonly ID: string } => ({ ID })

/** Restores grants from their text. */
export const grantsOfText = (text: string): Grants => {
  const [tenancy, policies, roles, ServiceIdentities, NodeIdentities, rules]: Links = JSON.parse(text)
  const grants: DirectGrants = {
    Policies: policies.map(linkTo),
    Roles: roles.map(linkTo),
    ServiceIdentities,
    NodeIdentities,
    ...(rules === null ? {} : { Rules: rules })
  }
  return { grants, tenancy }
}
