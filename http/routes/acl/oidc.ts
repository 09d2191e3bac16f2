// The OIDC authorization code flow (spec: auth.md §10).
import type { Static } from 'typebox'
import type { Logger } from 'pino'
import type { Ids } from '../../../actors/ids.js'
import type { Logins } from '../../../actors/login/logins.js'
import { LoginDenied, invalid, type Refusal } from '../../../actors/refusal.js'
import { isAllowedRedirect } from '../../../actors/oidc-request.js'
import { TooManyRequests, json, type RouteResponse } from '../../wire/response.js'
import type { AddressAllowances } from '../../wire/sockets/address-allowances.js'
import { OIDC_REQUEST_TOPIC } from '../../../events/oidc-request.js'
import type { OidcRequestRow } from '../../../projections/acl/oidc-requests.js'
import { loggingReasons, methodOf, REFUSED_LOGIN, tokenFor } from './login.js'
import { datacenterForLocalTokens } from './local-tokens.js'
import type { RequestContext } from '../../wire/request-context.js'
import { bodyRoute, noToken, type Route } from '../../wire/route.js'
import { authUrl, authUrlBody, callbackBody } from '../../schemas/acl-login.js'
import { token } from '../../schemas/acl.js'

/** Bytes of a body that starts a login: its `Meta` and `ClientNonce` are stored without a token. */
const MAX_BEGINNING_BYTES = 16 * 1024

const facts = { tag: 'ACL login', access: noToken, tenancy: 'named', idempotency: 'by the key' } as const

/** The limit of login starts per client address: each is a commit and needs no token. */
const LOGIN_STARTS = { perSecond: 5, burst: 300 }

const tooMany = (): Refusal =>
  new TooManyRequests(
    'acl.login.too-many',
    `Too many OIDC logins were started from this address: the limit is ${LOGIN_STARTS.burst} at once and ${LOGIN_STARTS.perSecond} a second`,
    1
  )

const denied = (text: string): LoginDenied => new LoginDenied(text, text)

const checkRedirect = (uri: string, allowed: readonly string[]): void => {
  if (uri === '') throw invalid('acl.login.invalid', 'missing redirect_uri: RedirectURI is not set')
  if (!isAllowedRedirect(uri, allowed))
    throw invalid('acl.login.invalid', `unauthorized redirect_uri: ${uri}`)
}

/** Consumes the pending request of a state, so that it cannot be used twice. */
const consumeRequest = async (
  request: RequestContext,
  state: string,
  method: string
): Promise<OidcRequestRow> => {
  const pending = request.views.oidcRequests.withState(state)
  await request.ask(
    request.ref(OIDC_REQUEST_TOPIC, pending?.request.ID ?? ''),
    request.command('UseOidcRequest', { state, method })
  )
  if (!pending) throw new Error('an OIDC request was consumed that does not exist')
  return pending
}

const callback = async (
  request: RequestContext,
  logins: Logins,
  logger: Logger,
  input: Static<typeof callbackBody>
): Promise<RouteResponse> => {
  const { AuthMethod = '', State = '', Code = '', ClientNonce = '', Meta } = input
  const before = methodOf(request, AuthMethod)
  await logins.oidc(before)
  if (Code === '')
    throw invalid(
      'acl.login.invalid',
      'Provider login failed: OAuth code parameter not provided: Code is not set'
    )
  const pending = await consumeRequest(request, State, before.method.Name)
  if (pending.clientNonce !== '' && pending.clientNonce !== ClientNonce)
    throw denied('Provider login failed: ClientNonce is not the one that was given for the URL')
  const row = methodOf(request, AuthMethod)
  const flow = await logins.oidc(row)
  if (!isAllowedRedirect(pending.request.RedirectURI, flow.redirects))
    throw denied(`Provider login failed: unauthorized redirect_uri: ${pending.request.RedirectURI}`)
  const identity = await logins.run(flow.failure, signal =>
    flow.identify(Code, pending, signal, received => {
      if (flow.isVerbose) logger.debug({ oidc: received, method: row.method.Name }, 'OIDC login received')
    })
  )
  return tokenFor(request, row, identity, 'token created via OIDC login', Meta ?? pending.request.Meta)
}

export const oidcRoutes = (
  logins: Logins,
  ids: Ids,
  allowances: AddressAllowances,
  logger: Logger
): readonly Route[] =>
  datacenterForLocalTokens([
    bodyRoute({
      ...facts,
      method: 'POST',
      path: '/v1/acl/oidc/auth-url',
      operationId: 'createOidcAuthUrl',
      outcomes: {
        403: REFUSED_LOGIN,
        429: { description: 'Too many logins were started from this address: see Retry-After' }
      },
      summary: 'Start an OIDC login: the URL for the browser',
      bodyLimit: MAX_BEGINNING_BYTES,
      body: { schema: authUrlBody, name: 'OIDCAuthURL' },
      response: authUrl,
      handle: async (request, { AuthMethod, RedirectURI = '', ClientNonce = '', Meta = {} }) => {
        const row = methodOf(request, AuthMethod)
        const flow = await logins.oidc(row)
        checkRedirect(RedirectURI, flow.redirects)
        if (!allowances.take(request.address, LOGIN_STARTS)) throw tooMany()
        const [State, Nonce, CodeVerifier] = [ids.hex(20), ids.hex(20), ids.hex(32)]
        const url = await loggingReasons(logger, request, row.method.Name, () =>
          flow.authUrl(RedirectURI, State, Nonce, CodeVerifier)
        )
        const command = request.command('OpenOidcRequest', {
          newId: request.newId(),
          method: row.method.Name,
          redirectUri: RedirectURI,
          meta: Meta,
          State,
          Nonce,
          CodeVerifier,
          ClientNonce
        })
        return request.write(request.ref(OIDC_REQUEST_TOPIC, command.data.newId), command, () =>
          json({ AuthURL: url })
        )
      }
    }),
    bodyRoute({
      ...facts,
      method: 'POST',
      path: '/v1/acl/oidc/callback',
      operationId: 'completeOidcLogin',
      outcomes: { 403: REFUSED_LOGIN },
      summary: 'Complete an OIDC login: a token for the code of the provider',
      body: { schema: callbackBody, name: 'OIDCCallback' },
      response: token,
      handle: (request, input) =>
        loggingReasons(logger, request, input.AuthMethod ?? '', () =>
          callback(request, logins, logger, input)
        )
    })
  ])
