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
   * @throws Refusal `invalid` for a malformed credential, `denied` (LoginDenied) for one that is not accepted, `upstream` when the provider fails
   */
  identify(credential: string, signal: AbortSignal): Promise<Identity>
}

export const jwtVerifier = (name: string, config: JwtConfig, http: ProviderHttp, clock: Clock): Verifier => {
  const { source, boundAudiences } = config
  const verify = signatureVerifier(config, http, clock)
  const failure = `auth method validator for "${name}" could not be used`
  return {
    isLocal: source.kind === 'static',
    failure,
    identify: async credential => {
      const claims = verifiedClaims(await fromProvider(failure, verify(checkedToken(credential))))
      const now = clock.now() / 1000
      const fault =
        source.kind === 'discovery'
          ? (faultOfProviderToken(claims, source.issuer, now) ?? faultOfAudience(claims, boundAudiences))
          : faultOfToken(claims, config, now)
      if (fault !== undefined) throw new LoginDenied(fault)
      return identityOf(claims, config.claims)
    }
  }
}

/** Returns a function from a token to its payload; undefined without a key that verifies it. */
const signatureVerifier = (
  { source, algorithms }: JwtConfig,
  http: ProviderHttp,
  clock: Clock
): ((token: string) => Promise<string | undefined>) => {
  switch (source.kind) {
    case 'static':
      return token => verifiedPayload(token, source.keys, algorithms)
    case 'jwks': {
      const keys = new KeySet(http, clock, source.url, source.ca)
      return token => keys.verify(token, algorithms)
    }
    case 'discovery': {
      const provider = new Provider(http, clock, source)
      return token => provider.verify(token, algorithms.length > 0 ? algorithms : ['RS256'])
    }
  }
}

/** @throws Refusal `invalid` for a text that is not a JWT */
export const checkedToken = (credential: string): string => {
  const token = credential.trim()
  if (token === '') throw invalid('acl.login.invalid', 'missing jwt: BearerToken is not set')
  headerOf(token)
  return token
}

/** @throws LoginDenied without a verified payload */
const verifiedClaims = (payload: string | undefined): Claims => {
  const claims = payload === undefined ? undefined : claimsOf(payload)
  if (!claims) throw new LoginDenied('no known key successfully validated the token signature')
  return claims
}
