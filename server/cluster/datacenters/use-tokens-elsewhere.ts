// Which part a datacenter has in tokens that are not replicated.
import type { DependencyContainer } from 'tsyringe'
import { Views } from '../../../projections/views.js'
import { SETTINGS } from '../../settings/ports.js'
import { internalTokenRoutes } from '../../../http/routes/internal/acl-token.js'
import { primaryElsewhere } from '../../settings/datacenters.js'
import { DATACENTER_ROUTES } from '../../../http/wire/route.js'
import { TOKENS_ELSEWHERE } from '../../../http/wire/tokens-elsewhere.js'
import { RemoteTokens } from './remote-tokens.js'

/** Has the primary tell of its tokens, and others ask it that do not replicate them. To be called before the routes are made. */
export const useTokensElsewhere = (scope: DependencyContainer): void => {
  const settings = scope.resolve(SETTINGS)
  if (primaryElsewhere(settings) === undefined) scope.registerInstance(DATACENTER_ROUTES, internalTokenRoutes)
  else if (!settings.acl.enable_token_replication) {
    const tokens = scope.resolve(RemoteTokens)
    scope.registerInstance(TOKENS_ELSEWHERE, tokens)
    scope.resolve(Views).resolver.lookElsewhere(tokens)
  }
}
