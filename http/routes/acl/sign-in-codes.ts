// Sign-in codes: they pass a token from the command line to a browser without showing its secret in an address.
import { cacheLimits } from '../../../events/cache-limits.js'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../actors/clock.js'
import type { Ids } from '../../../actors/ids.js'
import { invalid, LoginDenied } from '../../../actors/refusal.js'
import { ANONYMOUS_ACCESSOR } from '../../../events/token.js'
import { signInCode, signInCodeBody, signInToken } from '../../schemas/acl-login.js'
import { json } from '../../wire/response.js'
import { anyToken, bodyRoute, noToken, route, type Route } from '../../wire/route.js'
import { REFUSED_LOGIN } from './login.js'

const LIFETIME_MS = 60_000
/** Beyond this number, the oldest codes are dropped. */
const MOST_CODES = 1000
const CODE_BYTES = 32

interface Issued {
  readonly secret: string
  /** A time of `Clock.elapsed`. */
  readonly until: number
}

/** The valid codes, in the memory of the leader. A code is lost when another server takes over. */
class SignInCodes {
  readonly #issued = new LRUCache<string, Issued>(cacheLimits(MOST_CODES))

  constructor(
    private readonly ids: Ids,
    private readonly clock: Clock
  ) {}

  issue(secret: string): string {
    const code = this.ids.hex(CODE_BYTES)
    this.#issued.set(code, { secret, until: this.clock.elapsed() + LIFETIME_MS })
    return code
  }

  /** Returns the secret of a code, which is used up; undefined if it is unknown, used or expired. */
  redeem(code: string): string | undefined {
    const issued = this.#issued.get(code)
    this.#issued.delete(code)
    return issued && this.clock.elapsed() < issued.until ? issued.secret : undefined
  }
}

const facts = {
  tag: 'ACL login',
  tenancy: 'none',
  method: 'POST',
  runs: 'leader',
  idempotency: { refused: 'a code is for one use' }
} as const

/** The leader has the codes, so they are valid at each server of the cluster. */
export const signInCodeRoutes = (ids: Ids, clock: Clock): readonly Route[] => {
  const codes = new SignInCodes(ids, clock)
  return [
    route({
      ...facts,
      access: anyToken('the code stands for the token presented'),
      path: '/v1/acl/sign-in-code',
      operationId: 'createSignInCode',
      summary: 'Create a code that a browser exchanges for the token presented: for one use within 60 s',
      response: signInCode,
      handle: request => {
        request.requireToken()
        const secret = request.presentedSecret
        const accessor = request.authority.token?.token.AccessorID
        if (secret === undefined || accessor === undefined || accessor === ANONYMOUS_ACCESSOR)
          throw invalid(
            'acl.login.invalid',
            'Bad request: a sign-in code needs a token, and none was presented'
          )
        return json({ Code: codes.issue(secret), ExpiresInSeconds: LIFETIME_MS / 1000 })
      }
    }),
    bodyRoute({
      ...facts,
      access: noToken,
      path: '/v1/acl/sign-in',
      operationId: 'redeemSignInCode',
      outcomes: { 403: REFUSED_LOGIN },
      summary: 'Exchange a sign-in code for the secret of its token',
      body: { schema: signInCodeBody, name: 'SignIn' },
      response: signInToken,
      handle: (_, { Code = '' }) => {
        const SecretID = codes.redeem(Code)
        if (SecretID === undefined)
          throw new LoginDenied(
            'the sign-in code is unknown, used or expired',
            'Permission denied: the sign-in code is unknown, used or expired'
          )
        return json({ SecretID })
      }
    })
  ]
}
