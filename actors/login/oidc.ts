// The OIDC authorization code flow: the URL that a browser is sent to, and what the code that it comes back
// with says of who it is (spec: auth.md §10). The protocol itself is openid-client's.
import * as client from 'openid-client'
import type { OidcRequestRow } from '../../projections/acl/oidc-requests.js'
import type { Identity } from '../../projections/acl/binding-rules.js'
import { abortAfter, type Clock } from '../clock.js'
import type { OidcConfig } from '../auth-method/config.js'
import { type Claims, claimsOf, faultOfAudience, faultOfProviderToken, identityOf } from './claims.js'
import { LoginDenied } from './login-denied.js'
import { observedFetch, type ObservedFetch } from './provider-fetch.js'
import { parseObject, ProviderError, type ProviderHttp } from './provider-http.js'
import { failedProvider, fromProvider, Provider } from './provider.js'
import { messageOf } from '../../events/errors.js'

/** A start within this many seconds is no fault of a token. */
const TOLERANCE_S = 60

/** Begins the text of a refusal because the provider failed, whatever it was asked for. */
const PROVIDER_FAILED = 'Provider login failed'

/** Told what a provider sent, for methods that log it. */
type Received = (what: { readonly idToken: string; readonly claims: Claims }) => void

/** A denial whose text the caller may know: it says nothing of any identity. */
const denied = (text: string): LoginDenied => new LoginDenied(text, text)

const wordsOf = (error: unknown): string => {
  if (error instanceof client.ResponseBodyError)
    return `${error.error}${error.error_description ? ` (${error.error_description})` : ''}`
  return messageOf(error)
}

/** One OIDC auth method's side of the flow. Made anew at every change of the method. */
export class OidcFlow {
  readonly #provider: Provider
  /** Until a provider has refused Basic at first contact, it is taken to know it, as all must. */
  #usesBasic: boolean | undefined

  constructor(
    private readonly config: OidcConfig,
    private readonly http: ProviderHttp,
    private readonly clock: Clock
  ) {
    this.#provider = new Provider(http, clock, config.source)
  }

  /** As of a `Verifier`. */
  readonly failure = PROVIDER_FAILED

  get redirects(): readonly string[] {
    return this.config.redirects
  }

  get isVerbose(): boolean {
    return this.config.isVerbose
  }

  /**
   * The URL that begins a login.
   * @throws Refusal `upstream` when the provider cannot be reached for its description
   */
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

  /**
   * Who came back with this code for a request.
   * @throws LoginDenied; ProviderFailed when the provider does not answer
   */
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
    if (!grant) throw denied(`Token verification failed: error validating claims: ${wordsOf(error)}`)
    const all = { ...claims, ...(await this.#userInfo(grant, claims, signal)) }
    const { nonce: _, ...mappable } = all
    return this.#identityOf(mappable)
  }

  /**
   * The tokens for a code, or why openid-client did not take the provider's answer, whose text is given with
   * it.
   */
  async #exchange(code: string, pending: OidcRequestRow, signal: AbortSignal) {
    const first = await this.#grant(code, pending, signal, this.#usesBasic ?? true)
    const refused = first.error instanceof client.ResponseBodyError && first.error.error === 'invalid_client'
    const isFirstContact = this.#usesBasic === undefined
    const last = refused && isFirstContact ? await this.#grant(code, pending, signal, false) : first
    const answer = last.calls.answer()
    if (!answer) return fromProvider(PROVIDER_FAILED, Promise.reject(last.calls.failure() ?? last.error))
    const said = parseObject(answer.text)
    if (answer.status !== 200 && typeof said?.['error'] === 'string')
      throw denied(`Provider login failed: Error exchanging oidc code: ${wordsOf(last.error)}`)
    // Not how a token endpoint answers: what does is not for the caller to know.
    if (answer.status !== 200 || !said)
      throw failedProvider(PROVIDER_FAILED, new ProviderError(`the token endpoint answered ${answer.status}`))
    if (isFirstContact) this.#usesBasic = last === first
    return { grant: last.grant, error: last.error, text: answer.text }
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

  /** The claims of an ID token that the provider signed for us and that is of now. @throws LoginDenied */
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

  /** A token that cannot even be read was not signed by anybody. */
  async #verify(idToken: string, allowed: readonly string[]): Promise<string | undefined> {
    return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(idToken) ? this.#provider.verify(idToken, allowed) : undefined
  }

  /** What UserInfo says besides; nothing when it fails or is of somebody else. */
  async #userInfo(
    {
      configuration,
      accessToken
    }: { readonly configuration: client.Configuration; readonly accessToken: string },
    { sub }: Claims,
    signal: AbortSignal
  ): Promise<Claims> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined || typeof sub !== 'string') return {}
    const inTime = AbortSignal.any([signal, abortAfter(this.http.limits.timeMs / 2)])
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
    // The provider's `iss` on the redirect is no part of the callback's body, so it cannot be checked.
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

  /** Seconds by which this server's clock is ahead of the machine's, by which openid-client goes. */
  #skew(): number {
    return Math.round((this.clock.now() - Date.now()) / 1000)
  }
}
