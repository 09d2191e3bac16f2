// Local tokens, which logins create, require a datacenter with the global ACLs (spec: auth.md §11.3).
import { invalid } from '../../../actors/refusal.js'
import type { Route } from '../../wire/route.js'
import type { Settings } from '../../../server/settings/settings.js'

const hasLocalTokens = ({ datacenter, primary_datacenter: primary, acl }: Settings): boolean =>
  datacenter === primary || acl.enable_token_replication

/** @throws Refusal `invalid` in a datacenter that does not replicate the tokens of the primary */
export const requireLocalTokens = (settings: Settings): void => {
  if (hasLocalTokens(settings)) return
  const { datacenter, primary_datacenter: primary } = settings
  throw invalid(
    'acl.token.invalid',
    `Token replication is required for auth methods to function: "${datacenter}" does not replicate the tokens of "${primary}" (acl.enable_token_replication)`
  )
}

/** @throws Refusal `invalid` for a new local token in a datacenter that cannot have one (acl.md §16) */
export const refuseLocalToken = (settings: Settings): void => {
  if (hasLocalTokens(settings)) return
  const { datacenter, primary_datacenter: primary } = settings
  throw invalid(
    'acl.token.invalid',
    `Local tokens are disabled: "${datacenter}" does not replicate the tokens of "${primary}" (acl.enable_token_replication)`
  )
}

/** Restricts routes to datacenters in which local tokens are possible. */
export const datacenterForLocalTokens = (routes: readonly Route[]): readonly Route[] =>
  routes.map(route => ({
    ...route,
    checkHere: request => requireLocalTokens(request.settings),
    handle: request => {
      requireLocalTokens(request.settings)
      return route.handle(request)
    }
  }))
