// The denial of a write whose owning datacenter cannot be reached, by the copies of tokens and policies on this server.
import { Refusal } from '../../actors/refusal.js'
import { compileGrants, type Authority } from '../../projections/acl/resolver.js'
import type { Views } from '../../projections/read-models.js'
import type { KeyedWrite } from './idempotency/first-write.js'
import type { RequestContext } from './request-context.js'
import { answerTo, isRead, type Route } from './route.js'

class WriteReached extends Error {
  override readonly name = 'WriteReached'
}

/** Stops a handler before its write, and decides permissions as another datacenter does. */
class PermissionCheck implements KeyedWrite {
  readonly isRepeat = false

  constructor(
    private readonly views: Views,
    private readonly datacenter: string
  ) {}

  watch(authority: Authority): Authority {
    const { token } = authority
    if (!token) return authority
    const { datacenter } = this
    return { token, ...compileGrants(token.token, token.tenancy, this.views, { datacenter }) }
  }

  write(): never {
    throw new WriteReached()
  }
}

/**
 * Returns the denial of a write that the owning datacenter would give. Undefined if the caller has the permissions, or if this server cannot
 * know: tokens that are local there are unknown here.
 */
export const ownerDenial = async (
  route: Route,
  request: RequestContext,
  datacenter: string
): Promise<Refusal | undefined> => {
  if (isRead(route) || !request.settings.acl.enable_token_replication) return undefined
  request.useKeyedWrite(new PermissionCheck(request.views, datacenter))
  try {
    await answerTo(route, request)
    return undefined
  } catch (error) {
    return error instanceof Refusal && error.code === 'acl.permission.denied' ? error : undefined
  }
}
