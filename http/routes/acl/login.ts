// Login and logout (spec: auth.md §8, §9).
import { TOKEN_TOPIC } from '../../../events/token.js'
import type { Logger } from 'pino'
import type { Logins } from '../../../actors/login/logins.js'
import type { Identity } from '../../../projections/acl/binding-rules.js'
import { describe, type Meta } from '../../../actors/login/login.js'
import { unknownMethod, LoginDenied, ProviderFailed, aclNotFound } from '../../../actors/refusal.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import type { AuthMethodRow } from '../../../projections/acl/auth-methods.js'
import { json, type RouteResponse } from '../../wire/response.js'
import { requireLocalTokens } from './local-tokens.js'
import { type RequestContext, writtenAcl } from '../../wire/request-context.js'
import { anyToken, bodyRoute, noToken, route, type Route } from '../../wire/route.js'
import { loginBody } from '../../schemas/acl-login.js'
import { deleted, token } from '../../schemas/acl.js'

/** Logs the reason of a refusal that the response does not disclose. */
export const loggingReasons = async <T>(
  logger: Logger,
  request: RequestContext,
  method: string,
  work: () => Promise<T>
): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    const requestId = request.id
    if (error instanceof LoginDenied) logger.info({ method, reason: error.reason, requestId }, 'login denied')
    else if (error instanceof ProviderFailed)
      logger.warn({ method, reason: error.reason, requestId }, 'the provider of an auth method failed')
    throw error
  }
}

const facts = { tag: 'ACL login', access: noToken } as const

/** @throws Refusal `denied` if the auth method does not exist */
export const methodOf = (request: RequestContext, name: string | undefined): AuthMethodRow => {
  const row = request.views.authMethods.named(request.tenancy, name ?? '')
  if (!row) throw unknownMethod(name ?? '')
  return row
}

/** Creates the token of a verified login and returns it. */
export const tokenFor = (
  request: RequestContext,
  row: AuthMethodRow,
  identity: Identity,
  action: string,
  meta: Meta
): RouteResponse => {
  const { views, clock } = request
  const newAccessor = request.newId()
  const command = {
    ...request.command('Login', {
      method: row.method.Name,
      methodIndex: row.method.ModifyIndex,
      identity,
      description: describe(action, meta),
      newAccessor,
      newSecret: request.newId()
    }),
    // Verification may take time. The token's lifetime begins after it.
    at: clock.now()
  }
  return request.write(request.ref('Login', row.method.Name), command, () =>
    writtenAcl(request, views.tokens.get(newAccessor), created => created.json(views, false))
  )
}

export const REFUSED_LOGIN = { description: 'The credential is rejected for the reason in the text' }

const tokenOf = ({ presentedSecret: secret, views }: RequestContext): TokenRow | undefined =>
  secret === undefined ? undefined : views.tokens.bySecret(secret)

export const loginRoutes = (logins: Logins, logger: Logger): readonly Route[] => [
  bodyRoute({
    ...facts,
    tenancy: 'named',
    method: 'POST',
    path: '/v1/acl/login',
    operationId: 'login',
    idempotency: 'revalidated',
    outcomes: { 403: REFUSED_LOGIN },
    summary: 'Exchange a credential of an auth method for a token',
    body: {
      schema: loginBody,
      name: 'Login',
      nullFault: 'Invalid Login request: Missing auth parameters'
    },
    response: token,
    handle: (request, { AuthMethod = '', BearerToken = '', Meta = {} }) =>
      loggingReasons(logger, request, AuthMethod, async () => {
        requireLocalTokens(request.settings)
        const row = methodOf(request, AuthMethod)
        const identity = await logins.identify(row, BearerToken)
        return tokenFor(request, row, identity, 'token created via login', Meta)
      })
  }),
  route({
    ...facts,
    access: anyToken('a token that a login created; it is the token to delete'),
    tenancy: 'none',
    method: 'POST',
    path: '/v1/acl/logout',
    operationId: 'logout',
    summary: 'Delete the token presented, which a login created',
    belongsTo: request => {
      const { Local, AuthMethod } = tokenOf(request)?.token ?? {}
      return AuthMethod && !Local ? request.settings.primary_datacenter : undefined
    },
    response: deleted,
    handle: request => {
      const secret = request.presentedSecret
      if (secret === undefined) throw aclNotFound()
      requireLocalTokens(request.settings)
      const key = tokenOf(request)?.token.AccessorID ?? ''
      return request.write(request.ref(TOKEN_TOPIC, key), request.command('Logout', { secret }), () =>
        json(true)
      )
    }
  })
]
