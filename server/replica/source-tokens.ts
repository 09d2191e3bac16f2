// Has the source of a replica authenticate tokens. Their rights are those in the verified log.
import type { Views } from '../../projections/read-models.js'
import { ANONYMOUS_ACCESSOR, ANONYMOUS_SECRET } from '../../events/token.js'
import { resolutionOfToken, type TokenResolution } from '../../projections/acl/token-resolution.js'
import type { TokenAuthority } from '../cluster/datacenters/primary-tokens.js'

/** Returns the accessor of the token with a secret, or undefined if the source has none. @throws Error if it cannot be reached */
export type AccessorOf = (secret: string) => Promise<string | undefined>

export class SourceTokens implements TokenAuthority {
  constructor(
    private readonly views: Views,
    private readonly accessorOf: AccessorOf
  ) {}

  async ask(secret: string): Promise<TokenResolution> {
    const accessor = secret === ANONYMOUS_SECRET ? ANONYMOUS_ACCESSOR : await this.accessorOf(secret)
    const row = accessor === undefined ? undefined : this.views.tokens.get(accessor)
    return row ? resolutionOfToken(this.views, row) : { kind: 'unknown' }
  }
}
