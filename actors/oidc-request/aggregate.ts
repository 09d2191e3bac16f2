// The aggregate of pending OIDC requests.
import type { Aggregate } from '../aggregate.js'
import type { OidcRequestCommand } from './commands.js'
import { decideOidcRequest } from './decide.js'
import { oidcRequestLife } from './machine.js'

export const oidcRequestAggregate: Aggregate<OidcRequestCommand> = {
  life: oidcRequestLife,
  decide: decideOidcRequest
}
