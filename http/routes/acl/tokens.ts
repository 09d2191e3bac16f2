// ACL tokens (spec: acl.md §3).
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import type { CloneToken, CreateToken, NewToken, RotateToken, UpdateToken } from '../../../actors/token.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
import { ROLE_TOPIC } from '../../../events/role.js'
import { TOKEN_TOPIC, tokenDefinition } from '../../../events/token.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import { aclFacts, ACL_NOT_FOUND, readAclList, readAclOne } from './acl-reads.js'
import { refuseLocalToken } from './local-tokens.js'
import { aclListHistory, ownTokenKeyOf, tokenKeyOf, tokenLinks } from './acl-history.js'
import { type RouteResponse, json } from '../../wire/response.js'
import { respondToRead, reading } from '../../wire/reads/blocking.js'
import { historyOfResource } from '../../wire/history-declaration.js'
import { type RequestContext, aclText, writtenAcl } from '../../wire/request-context.js'
import { anyToken, bodyRoute, route, type Route, inputsOf } from '../../wire/route.js'
import { deleted, token } from '../../schemas/acl.js'
import { bodySchema, entrySchema } from '../../schemas/definition-schemas.js'
import { allTokens, linkedTokens, tokenTest, TOKEN_LIST_QUERY } from './token-list.js'
import type { TokenUse } from '../../wire/token-use.js'
import { withLastUsed, type TokenListBytes } from './token-list-bytes.js'
import { GRACE, graceOf } from './rotation-grace.js'
import { requireUuid } from '../../../actors/uuid.js'

/** Facts of reads: without token replication only the primary datacenter has all tokens. */
export const READ_IN_PRIMARY = {
  belongsTo: ({ settings }: RequestContext) =>
    settings.acl.enable_token_replication ? undefined : settings.primary_datacenter
} as const

/** @throws Refusal `invalid` without an accessor in the path */
export const accessorOf = (request: RequestContext): string => {
  const accessor = request.param('AccessorID')
  if (accessor === '') throw invalid('acl.token.invalid', 'Bad request: Missing token ID')
  return accessor
}

/** Returns the accessor of the presented token; empty without one. */
export const ownAccessor = ({ authority }: RequestContext): string => authority.token?.token.AccessorID ?? ''

/** @throws Refusal `invalid` */
export const checkId = (accessor: string): void => {
  requireUuid('acl.token.invalid', 'AccessorID', accessor)
}

export const validToken = (row: TokenRow | undefined, { now, past }: RequestContext): TokenRow | undefined =>
  row?.isValid(past?.moment ?? now) ? row : undefined

const { read: aclRead, write: aclWrite } = aclFacts('ACL tokens')
const read = { ...aclRead, ...READ_IN_PRIMARY } as const
const tokenBody = { schema: bodySchema(tokenDefinition), name: tokenDefinition.name }

const inputOf = inputsOf(tokenDefinition)

/** Local tokens belong to the datacenter that has them. */
const STORED_TOKEN_OWNER = {
  dc: 'checked',
  belongsTo: (request: RequestContext) =>
    request.views.tokens.get(request.param('AccessorID'))?.token.Local
      ? undefined
      : request.settings.primary_datacenter
} as const

const TOKEN_BODY = { method: 'PUT', body: tokenBody, response: token } as const

const NEW_TOKEN_OWNER = {
  dc: 'checked',
  belongsTo: (request: RequestContext) =>
    inputOf(request.decode(tokenBody)).Local ? undefined : request.settings.primary_datacenter
} as const

/** Executes a command on a token and returns the stored token with its real secret. */
const writeToken = (
  request: RequestContext,
  accessor: string,
  command: CreateToken | UpdateToken | CloneToken | RotateToken
): RouteResponse => {
  const { views } = request
  return request.write(request.ref(TOKEN_TOPIC, accessor.toLowerCase()), command, () =>
    // Without the cache of reads: most tokens are not read on this server soon.
    writtenAcl(request, views.tokens.get(accessor), row => JSON.stringify(row.toObject(views)))
  )
}

const newToken = (request: RequestContext): NewToken => ({
  newAccessor: request.newId(),
  newSecret: request.newId()
})

/** An earlier version of a token shows its secret only if a current token has it. */
const showsSecret = ({ past, currentViews }: RequestContext, { secret }: TokenRow): boolean =>
  !past || currentViews.tokens.bySecret(secret) !== undefined

/** Adds the last use, which is known only for the current state. */
const withCurrentUse = (request: RequestContext, tokenUse: TokenUse, row: TokenRow, text: string): string =>
  request.past ? text : withLastUsed(tokenUse, row, text)

const ownTokenRoute = (tokenUse: TokenUse): Route =>
  route({
    ...read,
    access: anyToken('returns the token itself'),
    tenancy: 'none',
    path: '/v1/acl/token/self',
    operationId: 'readOwnToken',
    summary: 'Read the token presented',
    past: historyOfResource(ownTokenKeyOf, (request, past) =>
      tokenLinks(request, past, ownAccessor(request))
    ),
    response: token,
    handle: request =>
      respondToRead(request, () => {
        const { views } = request
        const own = request.secret === undefined ? undefined : request.authority.token
        const row = own && views.tokens.get(own.token.AccessorID)
        if (!row) return { index: views.tokens.index, watch: ['tokens'], answer: ACL_NOT_FOUND }
        return reading(
          aclText(request, withCurrentUse(request, tokenUse, row, row.json(views, false)), row.tenancy),
          views.tokens.indexOf(row.tenancy),
          [`token/${row.token.AccessorID.toLowerCase()}`]
        )
      })
  })

const tokenRoute = (tokenUse: TokenUse): Route =>
  route({
    ...read,
    tenancy: 'many',
    path: '/v1/acl/token/:AccessorID',
    aliases: ['/v1/acl/token/'],
    operationId: 'readToken',
    summary: 'Read a token',
    past: historyOfResource(
      request => tokenKeyOf(request, accessorOf(request)),
      (request, past) => tokenLinks(request, past, accessorOf(request))
    ),
    response: token,
    handle: request => {
      const accessor = accessorOf(request)
      return respondToRead(request, () => {
        const { views } = request
        const stored = views.tokens.get(accessor)
        if (!stored) {
          request.require('acl', 'read')
          checkId(accessor)
        }
        return readAclOne(request, validToken(isWithinTenancy(stored, request.tenancy), request), {
          source: views.tokens,
          watch: 'tokens',
          watchOf: () => `token/${accessor.toLowerCase()}`,
          text: (row, mayWrite) =>
            withCurrentUse(request, tokenUse, row, row.json(views, !mayWrite || !showsSecret(request, row))),
          missing: ACL_NOT_FOUND
        })
      })
    }
  })

const tokenListRoute = (tokenUse: TokenUse, lists: TokenListBytes): Route =>
  route({
    ...read,
    tenancy: 'many',
    path: '/v1/acl/tokens',
    operationId: 'listTokens',
    isPaged: true,
    summary: 'List the tokens',
    past: aclListHistory(TOKEN_TOPIC, [POLICY_TOPIC, ROLE_TOPIC]),
    query: TOKEN_LIST_QUERY,
    response: Type.Array(entrySchema(tokenDefinition)),
    handle: request =>
      respondToRead(request, () => {
        const { views } = request
        request.require('acl', 'read')
        return readAclList(request, {
          source: views.tokens,
          watch: 'tokens',
          linked: linkedTokens(request),
          passes: tokenTest(request, tokenUse),
          text: (row, mayWrite) =>
            withCurrentUse(
              request,
              tokenUse,
              row,
              row.listJson(views, !mayWrite || !showsSecret(request, row))
            ),
          all: allTokens(request, lists)
        })
      })
  })

const ROTATE_ROUTE = route({
  ...aclWrite,
  ...STORED_TOKEN_OWNER,
  method: 'PUT',
  path: '/v1/acl/token/:AccessorID/rotate',
  operationId: 'rotateToken',
  summary: 'Replace a token by one with a new AccessorID and SecretID, and delete it after a grace period',
  query: { grace: GRACE },
  response: token,
  handle: request => {
    const accessor = accessorOf(request)
    request.require('acl', 'write')
    checkId(accessor)
    const graceMs = graceOf(request.query.get('grace'))
    const created = newToken(request)
    const command = request.command('RotateToken', { accessor, graceMs, ...created })
    return writeToken(request, created.newAccessor, command)
  }
})

const DELETE_ROUTE = route({
  ...aclWrite,
  ...STORED_TOKEN_OWNER,
  method: 'DELETE',
  path: '/v1/acl/token/:AccessorID',
  aliases: ['/v1/acl/token/'],
  operationId: 'deleteToken',
  summary: 'Delete a token',
  response: deleted,
  handle: request => {
    const accessor = accessorOf(request)
    request.require('acl', 'write')
    const command = request.command('DeleteToken', { accessor })
    return request.write(request.ref(TOKEN_TOPIC, accessor.toLowerCase()), command, () => json(true))
  }
})

export const tokenRoutes = (tokenUse: TokenUse, lists: TokenListBytes): readonly Route[] => [
  bodyRoute({
    ...aclWrite,
    ...NEW_TOKEN_OWNER,
    ...TOKEN_BODY,
    path: '/v1/acl/token',
    aliases: ['/v1/acl/token/'],
    operationId: 'createToken',
    summary: 'Create a token',
    handle: (request, body) => {
      const input = inputOf(body)
      request.require('acl', 'write')
      if (input.Local) refuseLocalToken(request.settings)
      const command = request.command('CreateToken', Object.assign(input, newToken(request)))
      return writeToken(request, input.AccessorID || command.data.newAccessor, command)
    }
  }),
  ownTokenRoute(tokenUse),
  tokenRoute(tokenUse),
  bodyRoute({
    ...aclWrite,
    ...STORED_TOKEN_OWNER,
    ...TOKEN_BODY,
    path: '/v1/acl/token/:AccessorID',
    operationId: 'updateToken',
    summary: 'Replace the content of a token',
    handle: (request, body) => {
      const accessor = accessorOf(request)
      const input = inputOf(body)
      if (input.AccessorID !== '' && input.AccessorID !== accessor)
        throw invalid('acl.token.invalid', 'Bad request: Token Accessor ID in URL and payload do not match')
      request.require('acl', 'write')
      return writeToken(request, accessor, request.command('UpdateToken', { ...input, accessor }))
    }
  }),
  bodyRoute({
    ...aclWrite,
    ...STORED_TOKEN_OWNER,
    ...TOKEN_BODY,
    path: '/v1/acl/token/:AccessorID/clone',
    operationId: 'cloneToken',
    summary: 'Create a token with the links of another',
    handle: (request, body) => {
      const accessor = accessorOf(request)
      const { Description } = inputOf(body)
      request.require('acl', 'write')
      const created = newToken(request)
      const command = request.command('CloneToken', { accessor, Description, ...created })
      return writeToken(request, created.newAccessor, command)
    }
  }),
  ROTATE_ROUTE,
  DELETE_ROUTE,
  tokenListRoute(tokenUse, lists)
]
