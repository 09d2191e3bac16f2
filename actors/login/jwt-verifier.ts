// Verification of a JWT by signature and claims (spec: auth.md §2).
import type { Identity } from '../../projections/acl/binding-rules.js'
import type { JwtConfig } from '../auth-method/config.js'
import type { Clock } from '../clock.js'
import { invalid, LoginDenied } from '../refusal.js'
import {
  type Claims,
  claimsOf,
  faultOfAudience,
  faultOfProviderToken,
  faultOfToken,
  identityOf
} from './claims.js'
import { KeySet } from './key-set.js'
import type { ProviderHttp } from './provider-http.js'
import { fromProvider, Provider } from './provider.js'
import { headerOf, verifiedPayload } from './signature.js'

export interface Verifier {
  /** True when it queries no provider, so that there is no wait. */
  readonly isLocal: boolean
  /** Begins the error text of a failure of the provider. */
  readonly failure: string
  /**
   * Returns the identity of a credential. `signal` aborts when the login has ended.
   * @throws Refusal `invalid` for a malformed credential, `denied` (LoginDenied) for one that is not
   *   accepted, `upstream` when the provider fails
   */
  identify(credential: string, signal: AbortSignal): Promise<Identity>
}

export const jwtVerifier = (name: string, config: JwtConfig, http: ProviderHttp, clock: Clock): Verifier => {
  const { source, algorithms } = config
  const seconds = (): number => clock.now() / 1000
  const accepted = (claims: Claims, fault: string | undefined): Identity => {
    if (fault !== undefined) throw new LoginDenied(fault)
    return identityOf(claims, config.claims)
  }
  const failure = `auth method validator for "${name}" could not be used`
  switch (source.kind) {
    case 'static':
      return {
        isLocal: true,
        failure,
        identify: async token => {
          const claims = verifiedClaims(await verifiedPayload(checkedToken(token), source.keys, algorithms))
          return accepted(claims, faultOfToken(claims, config, seconds()))
        }
      }
    case 'jwks': {
      const keys = new KeySet(http, clock, source.url, source.ca)
      return {
        isLocal: false,
        failure,
        identify: async token => {
          const claims = verifiedClaims(
            await fromProvider(failure, keys.verify(checkedToken(token), algorithms))
          )
          return accepted(claims, faultOfToken(claims, config, seconds()))
        }
      }
    }
    case 'discovery': {
      const provider = new Provider(http, clock, source)
      const allowed = algorithms.length > 0 ? algorithms : ['RS256']
      return {
        isLocal: false,
        failure,
        identify: async token => {
          const claims = verifiedClaims(
            await fromProvider(failure, provider.verify(checkedToken(token), allowed))
          )
          const { issuer } = source
          const fault =
            faultOfProviderToken(claims, issuer, seconds()) ?? faultOfAudience(claims, config.boundAudiences)
          return accepted(claims, fault)
        }
      }
    }
  }
}

/** @throws Refusal `invalid` for a text that is not a JWT */
const checkedToken = (credential: string): string => {
  const token = credential.trim()
  if (token === '') throw invalid('missing jwt: BearerToken is not set')
  headerOf(token)
  return token
}

/** @throws LoginDenied without a verified payload */
const verifiedClaims = (payload: string | undefined): Claims => {
  const claims = payload === undefined ? undefined : claimsOf(payload)
  if (!claims) throw new LoginDenied('no known key successfully validated the token signature')
  return claims
}
