// Verification of a JWT by signature and claims (spec: auth.md §2).
import type { Identity } from '../../projections/acl/binding-rules.js'
import type { ClaimRules, JwtConfig } from '../auth-method/config.js'
import { LoginDenied, invalid } from '../refusal.js'
import { isObject, parseObject } from '../../events/values.js'
import type { Clock } from '../clock.js'
import { KeySet } from './key-set.js'
import type { ProviderHttp } from './provider-http.js'
import { fromProvider, Provider } from './provider.js'
import { headerOf, verifiedPayload } from './signature.js'

export type Claims = Readonly<Record<string, unknown>>

const SECOND = 1e9
const DEFAULT_LEEWAY_S = 150
const DEFAULT_SKEW_S = 60

interface Registered {
  /** Seconds since 1970; 0 when missing. */
  readonly iat: number
  readonly exp: number
  readonly nbf: number
  readonly iss: string
  readonly aud: readonly string[]
}

/** Returns undefined for a payload that is no object, or with a registered claim of a wrong type. */
export const claimsOf = (payload: string): Claims | undefined => {
  const value = parseObject(payload)
  if (!value) return undefined
  const isTime = (claim: unknown): boolean =>
    claim === undefined ||
    claim === null ||
    (typeof claim === 'number' && Number.isSafeInteger(Math.trunc(claim)))
  const isText = (claim: unknown): boolean =>
    claim === undefined || claim === null || typeof claim === 'string'
  const { aud } = value
  const isAudience =
    isText(aud) || (Array.isArray(aud) && aud.every((item: unknown) => typeof item === 'string'))
  const isValid =
    ['iat', 'exp', 'nbf'].every(name => isTime(value[name])) &&
    ['iss', 'sub', 'jti'].every(name => isText(value[name])) &&
    isAudience
  return isValid ? value : undefined
}

const registered = (claims: Claims): Registered => {
  const time = (name: string): number => {
    const value = claims[name]
    return typeof value === 'number' ? Math.trunc(value) : 0
  }
  const { iss, aud } = claims
  return {
    iat: time('iat'),
    exp: time('exp'),
    nbf: time('nbf'),
    iss: typeof iss === 'string' ? iss : '',
    aud:
      typeof aud === 'string' ? [aud] : Array.isArray(aud) ? aud.filter(item => typeof item === 'string') : []
  }
}

/** Converts a leeway from nanoseconds to seconds: 0 stands for the default, negative for none. */
const seconds = (ns: number, fallback: number): number =>
  ns === 0 ? fallback : ns < 0 ? 0 : Math.trunc(ns / SECOND)

const AUDIENCE = 'aud claim does not match any bound audience'
const matches = (aud: readonly string[], bound: readonly string[]): boolean =>
  aud.some(audience => bound.includes(audience))

/** Checks a token of static keys or a key set. `now` is in epoch seconds. @returns the fault; undefined for a valid token */
export const faultOfToken = (
  claims: Claims,
  { boundIssuer, boundAudiences, leeways }: JwtConfig,
  now: number
): string | undefined => {
  const { iat, exp, nbf, iss, aud } = registered(claims)
  if (iat === 0 && exp === 0 && nbf === 0)
    return 'no issue time, notbefore, or expiration time encoded in token'
  const ends = exp || Math.max(iat, nbf) + seconds(leeways.expiration, DEFAULT_LEEWAY_S)
  const starts = nbf || iat || ends - seconds(leeways.notBefore, DEFAULT_LEEWAY_S)
  if (boundIssuer !== '' && iss !== boundIssuer) return 'invalid issuer claim (iss)'
  // A skew below a second is not rounded.
  const skew = leeways.clockSkew > 0 ? leeways.clockSkew / SECOND : seconds(leeways.clockSkew, DEFAULT_SKEW_S)
  if (now + skew < starts) return 'token not valid yet (nbf)'
  if (now - skew > ends) return 'token is expired (exp)'
  if (now + skew < iat) return 'token issued in the future (iat)'
  if (boundAudiences.length === 0)
    return aud.length === 0 ? undefined : 'audience claim found in JWT but no audiences are bound'
  return matches(aud, boundAudiences) ? undefined : AUDIENCE
}

/**
 * Checks a token of a discovered provider: its issuer, an expiration without leeway, and a start with a
 * leeway of a minute. `now` is in epoch seconds.
 * @returns the fault; undefined for a valid token
 */
export const faultOfProviderToken = (claims: Claims, issuer: string, now: number): string | undefined => {
  const { iss, exp, nbf } = registered(claims)
  if (iss !== issuer) return `invalid issuer claim (iss): it is not "${issuer}"`
  if (exp === 0) return 'no expiration time (exp) in token'
  if (now > exp) return 'token is expired (exp)'
  if (now + DEFAULT_SKEW_S < nbf) return 'token not valid yet (nbf)'
  return undefined
}

/** Checks that a token is for one of the bound audiences, if any. */
export const faultOfAudience = (claims: Claims, bound: readonly string[]): string | undefined =>
  bound.length === 0 || matches(registered(claims).aud, bound) ? undefined : AUDIENCE

// Identities: the claims visible to selectors and templates, and their names (spec: auth.md §2.3).

/** Follows one step of a JSON pointer; undefined without a target. */
const descend = (value: unknown, part: string): unknown => {
  const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** Returns a claim by its literal name, or by a JSON pointer (RFC 6901) when the name begins with a slash. */
const claimAt = (claims: Claims, name: string): unknown => {
  if (!name.startsWith('/')) return Object.hasOwn(claims, name) ? claims[name] : undefined
  return name.slice(1).split('/').reduce(descend, claims)
}

/** Returns the text of a scalar, numbers without their fraction; undefined for anything else, numbers beyond 64-bit decimals among it. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'number' && Number.isFinite(value)
    ? BigInt(Math.trunc(value)).toString()
    : undefined
}

const unmappable = (claim: string): LoginDenied =>
  new LoginDenied(`error converting claim '${claim}' to string from unknown type`)

const single = (claim: string, value: unknown): string => {
  const text = textOf(value)
  if (text === undefined) throw unmappable(claim)
  return text
}

/** A single value counts as a list of one. Empty texts are dropped. */
const many = (claim: string, value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).map(item => single(claim, item)).filter(text => text !== '')

/** Returns the existing mapped claims by their mapped names. */
const mapped = <T>(
  claims: Claims,
  mappings: ReadonlyMap<string, string>,
  read: (claim: string, value: unknown) => T
): Map<string, T> => {
  const found = new Map<string, T>()
  for (const [claim, name] of mappings) {
    const value = claimAt(claims, claim)
    if (value !== undefined && value !== null) found.set(name, read(claim, value))
  }
  return found
}

/** @throws LoginDenied for a claim that is neither a scalar nor a list of scalars */
export const identityOf = (claims: Claims, rules: ClaimRules): Identity => {
  const values = mapped(claims, rules.values, single)
  const lists = mapped(claims, rules.lists, many)
  return {
    selectable: { value: Object.fromEntries(values), list: Object.fromEntries(lists) },
    variables: new Map(
      [...rules.values.values()].map(name => [`value.${name}`, (values.get(name) ?? '').toLowerCase()])
    )
  }
}

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
