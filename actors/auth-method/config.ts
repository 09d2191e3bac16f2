// The Config of an auth method: its keys by type, and their rules (spec: auth.md §2, §3, §4).
import type { KeyObject } from 'node:crypto'
import type { AuthMethodType, AuthMethodConfigInput } from '../../events/auth-method.js'
import { ConfigError, ConfigValues } from './config-values.js'
import { checkCertificates, publicKeyOf } from './public-keys.js'

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512']

const JWT_ONLY = [
  'JWKSURL',
  'JWKSCACert',
  'JWTValidationPubKeys',
  'BoundIssuer',
  'ExpirationLeeway',
  'NotBeforeLeeway',
  'ClockSkewLeeway'
] as const
const SHARED = [
  'OIDCDiscoveryURL',
  'OIDCDiscoveryCACert',
  'BoundAudiences',
  'JWTSupportedAlgs',
  'ClaimMappings',
  'ListClaimMappings'
] as const
const OIDC_ONLY = [
  'OIDCClientID',
  'OIDCClientSecret',
  'OIDCScopes',
  'OIDCACRValues',
  'AllowedRedirectURIs',
  'VerboseOIDCLogging'
] as const
const KUBERNETES = ['Host', 'CACert', 'ServiceAccountJWT'] as const

export const CONFIG_KEYS: readonly string[] = [...JWT_ONLY, ...SHARED, ...OIDC_ONLY, ...KUBERNETES]

/** Maps claims to the names of variables in selectors and templates. */
export interface ClaimRules {
  readonly values: ReadonlyMap<string, string>
  readonly lists: ReadonlyMap<string, string>
}

/** `ca` is PEM, or '' for the system's roots. */
export type KeySource =
  | { readonly kind: 'static'; readonly keys: readonly KeyObject[] }
  | { readonly kind: 'jwks'; readonly url: string; readonly ca: string }
  | {
      readonly kind: 'discovery'
      readonly issuer: string
      readonly ca: string
      /** Metadata fields that must be URLs, besides `jwks_uri`. */
      readonly endpoints: readonly string[]
    }

interface TokenRules {
  readonly boundAudiences: readonly string[]
  /** When empty: any that fits the key, and RS256 with discovery. */
  readonly algorithms: readonly string[]
  readonly claims: ClaimRules
}

export interface JwtConfig extends TokenRules {
  readonly type: 'jwt'
  readonly source: KeySource
  readonly boundIssuer: string
  /** Nanoseconds: 0 stands for the default, negative for none. */
  readonly leeways: { readonly expiration: number; readonly notBefore: number; readonly clockSkew: number }
}

export interface OidcConfig extends TokenRules {
  readonly type: 'oidc'
  readonly source: KeySource & { readonly kind: 'discovery' }
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: readonly string[]
  readonly acrValues: readonly string[]
  readonly redirects: readonly string[]
  readonly isVerbose: boolean
}

export interface KubernetesConfig {
  readonly type: 'kubernetes'
  /** Base URL of the API server, without a trailing slash. */
  readonly host: string
  readonly ca: string
  readonly serviceAccountJwt: string
}

export type AuthConfig = JwtConfig | OidcConfig | KubernetesConfig

/** @throws ConfigError for a key that is unknown, missing or invalid; makes no calls */
export const parseConfig = (type: AuthMethodType, config: AuthMethodConfigInput): AuthConfig => {
  switch (type) {
    case 'jwt':
      return jwtConfig(new ConfigValues(config, [...JWT_ONLY, ...SHARED]))
    case 'oidc':
      return oidcConfig(new ConfigValues(config, [...JWT_ONLY, ...SHARED, ...OIDC_ONLY]))
    case 'kubernetes':
      return kubernetesConfig(new ConfigValues(config, KUBERNETES))
  }
}

const claimMap = (values: ConfigValues, key: string): ReadonlyMap<string, string> => {
  const mappings = values.map(key)
  const seen = new Set<string>()
  for (const name of mappings.values()) {
    if (seen.has(name)) throw new ConfigError(`${key} contains multiple mappings for key "${name}"`)
    seen.add(name)
  }
  return mappings
}

const tokenRules = (values: ConfigValues): TokenRules => {
  const algorithms = values.list('JWTSupportedAlgs')
  for (const algorithm of algorithms)
    if (!ALGORITHMS.includes(algorithm)) throw new ConfigError(`Invalid supported algorithm: ${algorithm}`)
  return {
    boundAudiences: values.list('BoundAudiences'),
    algorithms,
    claims: { values: claimMap(values, 'ClaimMappings'), lists: claimMap(values, 'ListClaimMappings') }
  }
}

const caFor = (values: ConfigValues, url: string, key: string): string => {
  const ca = values.text(key)
  if (ca === '') return ''
  if (!values.isGiven(url)) throw new ConfigError(`'${key}' should not be set unless '${url}' is set`)
  checkCertificates(key, ca)
  return ca
}

/** Returns true for a text that is a URL of http or https. */
export const isHttpUrl = (text: unknown): text is string =>
  typeof text === 'string' && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const checkUrl = (key: string, text: unknown): void => {
  if (!isHttpUrl(text))
    throw new ConfigError(`error checking ${key}: "${String(text)}" is not a URL of http or https`)
}

const discovery = (
  values: ConfigValues,
  endpoints: readonly string[]
): KeySource & { readonly kind: 'discovery' } => {
  const issuer = values.text('OIDCDiscoveryURL')
  checkUrl('OIDCDiscoveryURL', issuer)
  const ca = caFor(values, 'OIDCDiscoveryURL', 'OIDCDiscoveryCACert')
  return { kind: 'discovery', issuer, ca, endpoints }
}

const keySource = (values: ConfigValues): KeySource => {
  const sources = ['JWTValidationPubKeys', 'JWKSURL', 'OIDCDiscoveryURL'].filter(key => values.isGiven(key))
  if (sources.length !== 1)
    throw new ConfigError(
      `exactly one of 'JWTValidationPubKeys', 'JWKSURL', or 'OIDCDiscoveryURL' must be set for type "jwt"`
    )
  const jwksCa = caFor(values, 'JWKSURL', 'JWKSCACert')
  caFor(values, 'OIDCDiscoveryURL', 'OIDCDiscoveryCACert')
  if (sources[0] === 'OIDCDiscoveryURL') return discovery(values, [])
  if (sources[0] === 'JWKSURL') {
    const url = values.text('JWKSURL')
    checkUrl('JWKSURL', url)
    return { kind: 'jwks', url, ca: jwksCa }
  }
  const keys = values.list('JWTValidationPubKeys')
  return { kind: 'static', keys: keys.map((key, i) => publicKeyOf(`JWTValidationPubKeys[${i}]`, key)) }
}

const jwtConfig = (values: ConfigValues): JwtConfig => ({
  type: 'jwt',
  source: keySource(values),
  boundIssuer: values.text('BoundIssuer'),
  leeways: {
    expiration: values.nanoseconds('ExpirationLeeway'),
    notBefore: values.nanoseconds('NotBeforeLeeway'),
    clockSkew: values.nanoseconds('ClockSkewLeeway')
  },
  ...tokenRules(values)
})

const oidcConfig = (values: ConfigValues): OidcConfig => {
  for (const key of JWT_ONLY)
    if (values.isGiven(key)) throw new ConfigError(`'${key}' must not be set for type "oidc"`)
  for (const key of ['OIDCDiscoveryURL', 'OIDCClientID', 'OIDCClientSecret', 'AllowedRedirectURIs'])
    if (!values.isGiven(key)) throw new ConfigError(`'${key}' must be set for type "oidc"`)
  const redirects = values.list('AllowedRedirectURIs')
  const bad = redirects.filter(uri => !URL.canParse(uri))
  if (bad.length > 0) throw new ConfigError(`Invalid AllowedRedirectURIs provided: [${bad.join(' ')}]`)
  return {
    type: 'oidc',
    source: discovery(values, ['authorization_endpoint', 'token_endpoint']),
    clientId: values.text('OIDCClientID'),
    clientSecret: values.text('OIDCClientSecret'),
    scopes: values.list('OIDCScopes'),
    acrValues: values.list('OIDCACRValues'),
    redirects,
    isVerbose: values.flag('VerboseOIDCLogging'),
    ...tokenRules(values)
  }
}

const JWT_FORM = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** A regular expression would take quadratic time for slashes that do not end the text. */
const withoutSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === '/') end--
  return url.slice(0, end)
}

const kubernetesConfig = (values: ConfigValues): KubernetesConfig => {
  for (const key of KUBERNETES)
    if (values.text(key) === '') throw new ConfigError(`Config.${key} is required`)
  const ca = values.text('CACert')
  checkCertificates('kubernetes ca cert', ca)
  const serviceAccountJwt = values.text('ServiceAccountJWT').trim()
  if (!JWT_FORM.test(serviceAccountJwt))
    throw new ConfigError('Config.ServiceAccountJWT is not a valid JWT: it must have three parts')
  const host = values.text('Host')
  const url = /^https?:\/\//i.test(host) ? host : `https://${host}`
  return { type: 'kubernetes', host: withoutSlashes(url), ca, serviceAccountJwt }
}
