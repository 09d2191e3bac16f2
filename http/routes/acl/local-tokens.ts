// Where logins are possible: local tokens need a datacenter that knows the global ACLs (spec: auth.md §11.3).
import { invalid } from '../../../actors/refusal.js'
import type { Route } from '../../wire/route.js'
import type { Settings } from '../../settings/settings.js'

/** @throws Refusal `invalid` in a secondary datacenter that has no token by which to replicate those of the primary */
export const requireLocalTokens = ({
  datacenter,
  primary_datacenter: primary,
  datacenters
}: Settings): void => {
  if (datacenter !== primary && !datacenters[primary]?.token)
    throw invalid(
      `Token replication is required for auth methods to function: this server does not replicate the tokens of "${primary}"`
    )
}

/** Routes that answer only where local tokens are possible. */
export const whereLocalTokens = (routes: readonly Route[]): readonly Route[] =>
  routes.map(route => ({
    ...route,
    handle: request => {
      requireLocalTokens(request.settings)
      return route.handle(request)
    }
  }))
