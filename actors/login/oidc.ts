// The OIDC authorization code flow (spec: auth.md §10), by openid-client.
import { parseObject } from '../../events/values.js'
import * as client from 'openid-client'
import type { OidcRequestRow } from '../../projections/acl/oidc-requests.js'
import type { Identity } from '../../projections/acl/binding-rules.js'
import type { Clock } from '../clock.js'
import type { OidcConfig } from '../auth-method/config.js'
import { type Claims, claimsOf, faultOfAudience, faultOfProviderToken, identityOf } from './jwt-verifier.js'
import { LoginDenied } from '../refusal.js'
import { ProviderError, type ProviderHttp, type ProviderResponse } from './provider-http.js'
import { failedProvider, fromProvider, Provider } from './provider.js'
import { messageOf } from '../../events/errors.js'
import type { CustomFetch } from 'openid-client'

interface ObservedFetch {
  readonly fetch: CustomFetch
  /** Response of the last call; undefined before it and after a failure. */
  readonly answer: () => ProviderResponse | undefined
  readonly failure: () => unknown
}

const textHeaders = (headers: ProviderResponse['headers']): Headers => {
  const texts = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const text of typeof value === 'string' ? [value] : (value ?? [])) texts.append(name, text)
  // The body is complete and decoded.
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) texts.delete(name)
  return texts
}

/** Sends `redirectUri` exactly as the authorization request had it; openid-client would normalize it. */
const observedFetch = (
  http: ProviderHttp,
  ca: string,
  signal: AbortSignal,
  redirectUri?: string
): ObservedFetch => {
  let answer: ProviderResponse | undefined
  let failure: unknown
  return {
    answer: () => answer,
    failure: () => failure,
    fetch: async (url, { method, headers, body }) => {
      answer = undefined
      if (body instanceof URLSearchParams && redirectUri !== undefined && body.has('redirect_uri'))
        body.set('redirect_uri', redirectUri)
      try {
        answer = await http.call(url, {
          method: method === 'POST' ? 'POST' : 'GET',
          headers: Object.fromEntries(new Headers(headers)),
          ...(body instanceof URLSearchParams || typeof body === 'string' ? { body: String(body) } : {}),
          ca,
          signal
        })
      } catch (error) {
        failure = error
        throw error
      }
      const { status, text } = answer
      const hasBody = status >= 200 && status !== 204 && status !== 205 && status !== 304
      return new Response(hasBody ? text : null, {
        status: Math.min(Math.max(status, 200), 599),
        headers: textHeaders(answer.headers)
      })
    }
  }
}

const TOLERANCE_S = 60

/** Begins the error text of every failure of the provider. */
const PROVIDER_FAILED = 'Provider login failed'

/** Receives the provider's token, for methods that log it. */
type Received = (what: { readonly idToken: string; readonly claims: Claims }) => void

/** A denial whose text reveals nothing of an identity. */
const denied = (text: string): LoginDenied => new LoginDenied(text, text)

const textOf = (error: unknown): string => {
  if (error instanceof client.ResponseBodyError)
    return `${error.error}${error.error_description ? ` (${error.error_description})` : ''}`
  return messageOf(error)
}

/** The flow of one OIDC auth method, created for each version of the method. */
export class OidcFlow {
  readonly #provider: Provider
  /** Undefined until the first contact, which tries Basic, as every provider must support it. */
  #usesBasic: boolean | undefined

  constructor(
    private readonly config: OidcConfig,
    private readonly http: ProviderHttp,
    private readonly clock: Clock
  ) {
    this.#provider = new Provider(http, clock, config.source)
  }

  readonly failure = PROVIDER_FAILED

  get redirects(): readonly string[] {
    return this.config.redirects
  }

  get isVerbose(): boolean {
    return this.config.isVerbose
  }

  /** Returns the URL that begins a login. @throws Refusal `upstream` without the provider's metadata */
  async authUrl(redirectUri: string, state: string, nonce: string, codeVerifier: string): Promise<string> {
    const { scopes, acrValues } = this.config
    const configuration = await this.#configuration(true, 'the OIDC provider cannot be used')
    const url = client.buildAuthorizationUrl(configuration, {
      ...(acrValues.length > 0 ? { acr_values: acrValues.join(' ') } : {}),
      client_id: this.config.clientId,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      nonce,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: [...new Set(['openid', ...scopes])].join(' '),
      state
    })
    return url.href
  }

  /** @throws LoginDenied; ProviderFailed when the provider does not respond */
  async identify(
    code: string,
    pending: OidcRequestRow,
    signal: AbortSignal,
    received: Received
  ): Promise<Identity> {
    const { grant, error, text } = await this.#exchange(code, pending, signal)
    const idToken = parseObject(text)?.['id_token']
    if (typeof idToken !== 'string') throw denied('Token verification failed: No id_token found in response.')
    const claims = await this.#verified(idToken)
    received({ idToken, claims })
    if (claims['nonce'] !== pending.nonce) throw denied('Token verification failed: Invalid ID token nonce.')
    const audience = faultOfAudience(claims, this.config.boundAudiences)
    if (audience !== undefined)
      throw denied(`Token verification failed: error validating claims: ${audience}`)
    if (!grant) throw denied(`Token verification failed: error validating claims: ${textOf(error)}`)
    const all = { ...claims, ...(await this.#userInfo(grant, claims, signal)) }
    const { nonce: _, ...mappable } = all
    return this.#identityOf(mappable)
  }

  /** Exchanges a code. Returns the response's text with the tokens or the error of openid-client. */
  async #exchange(code: string, pending: OidcRequestRow, signal: AbortSignal) {
    const first = await this.#grant(code, pending, signal, this.#usesBasic ?? true)
    const refused = first.error instanceof client.ResponseBodyError && first.error.error === 'invalid_client'
    const isFirstContact = this.#usesBasic === undefined
    const latest = refused && isFirstContact ? await this.#grant(code, pending, signal, false) : first
    const answer = latest.calls.answer()
    if (!answer) return fromProvider(PROVIDER_FAILED, Promise.reject(latest.calls.failure() ?? latest.error))
    const parsed = parseObject(answer.text)
    if (answer.status !== 200 && typeof parsed?.['error'] === 'string')
      throw denied(`Provider login failed: Error exchanging oidc code: ${textOf(latest.error)}`)
    // The caller must not see a response that no token endpoint sends.
    if (answer.status !== 200 || !parsed)
      throw failedProvider(PROVIDER_FAILED, new ProviderError(`the token endpoint answered ${answer.status}`))
    if (isFirstContact) this.#usesBasic = latest === first
    return { grant: latest.grant, error: latest.error, text: answer.text }
  }

  async #grant(
    code: string,
    { request, nonce, codeVerifier, state }: OidcRequestRow,
    signal: AbortSignal,
    basic: boolean
  ) {
    const calls = observedFetch(this.http, this.config.source.ca, signal, request.RedirectURI)
    const configuration = await this.#configuration(basic, PROVIDER_FAILED, calls)
    const url = new URL(request.RedirectURI)
    url.search = new URLSearchParams({ code, state }).toString()
    try {
      const grant = await client.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true
      })
      return { calls, grant: { configuration, accessToken: grant.access_token }, error: undefined }
    } catch (error) {
      return { calls, grant: undefined, error }
    }
  }

  /** Returns the claims of a valid ID token of the provider. @throws LoginDenied */
  async #verified(idToken: string): Promise<Claims> {
    const wrong = (why: string): LoginDenied =>
      denied(`Token verification failed: error validating signature: ${why}`)
    const { algorithms, source } = this.config
    const allowed = algorithms.length > 0 ? algorithms : ['RS256']
    const payload = await fromProvider(PROVIDER_FAILED, this.#verify(idToken, allowed))
    const claims = payload === undefined ? undefined : claimsOf(payload)
    if (!claims) throw wrong(`no key of the provider verifies it, or it has an unsupported algorithm`)
    const fault =
      faultOfProviderToken(claims, source.issuer, this.clock.now() / 1000) ??
      faultOfAudience(claims, [this.config.clientId])
    if (fault !== undefined) throw wrong(fault)
    return claims
  }

  /** A malformed token has no valid signature. */
  async #verify(idToken: string, allowed: readonly string[]): Promise<string | undefined> {
    return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(idToken) ? this.#provider.verify(idToken, allowed) : undefined
  }

  /** Returns the claims of UserInfo; none when it fails or is about another subject. */
  async #userInfo(
    {
      configuration,
      accessToken
    }: { readonly configuration: client.Configuration; readonly accessToken: string },
    { sub }: Claims,
    signal: AbortSignal
  ): Promise<Claims> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined || typeof sub !== 'string') return {}
    const inTime = this.http.within(this.http.limits.timeMs / 2, signal)
    configuration[client.customFetch] = observedFetch(this.http, this.config.source.ca, inTime).fetch
    try {
      return await client.fetchUserInfo(configuration, accessToken, sub)
    } catch {
      return {}
    }
  }

  #identityOf(claims: Claims): Identity {
    try {
      return identityOf(claims, this.config.claims)
    } catch (error) {
      if (error instanceof LoginDenied) throw denied(`Token verification failed: ${error.reason}`)
      throw error
    }
  }

  async #configuration(
    basic: boolean,
    failure: string,
    calls?: ObservedFetch
  ): Promise<client.Configuration> {
    const { clientId, clientSecret } = this.config
    const known = await fromProvider(failure, this.#provider.metadata())
    // The callback's body does not contain the provider's `iss`, so it cannot be checked.
    const metadata = { ...known, authorization_response_iss_parameter_supported: false }
    const configuration = new client.Configuration(
      metadata,
      clientId,
      { [client.clockTolerance]: TOLERANCE_S, [client.clockSkew]: this.#skew() },
      basic && this.#mayUseBasic(known)
        ? client.ClientSecretBasic(clientSecret)
        : client.ClientSecretPost(clientSecret)
    )
    client.allowInsecureRequests(configuration)
    if (calls) configuration[client.customFetch] = calls.fetch
    return configuration
  }

  #mayUseBasic({
    token_endpoint_auth_methods_supported: methods
  }: Readonly<Record<string, unknown>>): boolean {
    return (
      !Array.isArray(methods) ||
      methods.includes('client_secret_basic') ||
      !methods.includes('client_secret_post')
    )
  }

  /** Seconds by which this server's clock is ahead of the machine's, which openid-client uses. */
  #skew(): number {
    return Math.round((this.clock.now() - Date.now()) / 1000)
  }
}
