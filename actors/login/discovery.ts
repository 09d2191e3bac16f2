// OpenID Connect discovery: the document in which a provider describes itself.
import type { KeySource } from '../auth-method/config.js'
import { ProviderError, type ProviderHttp } from './provider-http.js'

/** What a provider says of itself; only what it must say is known to be there. */
export interface ProviderMetadata {
  readonly issuer: string
  readonly jwks_uri: string
  readonly [name: string]: unknown
}

/** Only a provider says who the issuer is, so that the caller may read it. */
const anotherIssuer = (expected: string, given: unknown): ProviderError => {
  const text = `oidc: issuer did not match the issuer returned by provider, expected "${expected}" got "${String(given)}"`
  return typeof given === 'string' ? new ProviderError(text, text) : new ProviderError(text)
}

/**
 * Fetches the document of an issuer, which must name itself in it exactly as configured.
 * @throws ProviderError
 */
export const discover = async (
  http: ProviderHttp,
  { issuer, ca }: KeySource & { readonly kind: 'discovery' },
  signal: AbortSignal
): Promise<ProviderMetadata> => {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { value } = await http.object(url, ca, signal)
  if (value['issuer'] !== issuer) throw anotherIssuer(issuer, value['issuer'])
  const { jwks_uri: keys } = value
  if (typeof keys !== 'string' || !URL.canParse(keys))
    throw new ProviderError(`GET ${url}: "jwks_uri" is missing or no URL`)
  return { ...value, issuer, jwks_uri: keys }
}
