// Auth methods (spec: auth.md §1).
import type { Logger } from 'pino'
import type { Logins } from '../../../actors/login/logins.js'
import { spaceOf } from '../../../projections/table.js'
import * as Type from 'typebox'
import { planMethod } from '../../../actors/auth-method/auth-method.js'
import { CONFIG_KEYS } from '../../../actors/auth-method/config.js'
import { invalid } from '../../../actors/refusal.js'
import {
  AUTH_METHOD_TOPIC,
  authMethodShape,
  type AuthMethodInput,
  type GivenConfig
} from '../../../events/auth-method.js'
import type { Given } from '../../../events/shape/types.js'
import { aclFacts } from './facts.js'
import { readAclList, readAclOne } from './lists.js'
import { json, plain, type Answer } from '../../wire/answer.js'
import { answerRead } from '../../wire/reads/blocking.js'
import { loggingReasons } from './logging-reasons.js'
import { whereLocalTokens } from './local-tokens.js'
import type { ApiRequest } from '../../wire/request.js'
import { bodyRoute, route, type Route } from '../../wire/route.js'
import { deleted } from '../../schemas/acl.js'
import { answerSchema, bodySchema, entrySchema } from '../../schemas/shapes.js'
import { inputsOf } from '../../wire/bodies/input.js'
import { writtenAcl } from '../../wire/shown-namespace.js'

const { read, write } = aclFacts('ACL auth methods')
const body = { schema: bodySchema(authMethodShape), name: authMethodShape.name }
const authMethod = answerSchema(authMethodShape)

const inputOf = inputsOf(authMethodShape)

/** Keys as the documentation spells them, where letter case does not matter (decisions.md 3). */
const spelled = (config: GivenConfig, foldCase: boolean): GivenConfig => {
  if (!foldCase) return config
  const known = (key: string): string =>
    CONFIG_KEYS.find(name => name.toLowerCase() === key.toLowerCase()) ?? key
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [known(key), value]))
}

const nameOf = (request: ApiRequest): string => {
  const name = request.param('name')
  if (name === '') throw invalid('Bad request: Missing auth method name')
  return name
}

const put = async (
  request: ApiRequest,
  given: Given<typeof authMethodShape.fields>,
  logins: Logins,
  logger: Logger
): Promise<Answer> => {
  const named = request.param('name')
  if (named !== '' && given.Name && given.Name !== named)
    throw invalid('Bad request: AuthMethod Name in URL and payload do not match')
  const { views, settings, tenancy } = request
  const input = inputOf(given)
  const said: AuthMethodInput = {
    ...input,
    Name: named || input.Name,
    Config: spelled(input.Config, settings.compat)
  }
  request.require('acl', 'write')
  const { config } = planMethod(said, tenancy, views)
  await loggingReasons(logger, request, said.Name, () => logins.checkConfig(config))
  return request.write(
    request.ref(AUTH_METHOD_TOPIC, said.Name),
    request.command('PutAuthMethod', said),
    () => writtenAcl(request, views.authMethods.named(tenancy, said.Name), row => row.json(false))
  )
}

export const authMethodRoutes = (logins: Logins, logger: Logger): readonly Route[] =>
  whereLocalTokens([
    bodyRoute({
      ...write,
      method: 'PUT',
      path: '/v1/acl/auth-method',
      aliases: ['/v1/acl/auth-method/'],
      operationId: 'createAuthMethod',
      summary: 'Create an auth method, or replace the one of this name',
      body,
      response: authMethod,
      handle: (request, given) => put(request, given, logins, logger)
    }),
    bodyRoute({
      ...write,
      method: 'PUT',
      path: '/v1/acl/auth-method/:name',
      operationId: 'updateAuthMethod',
      summary: 'Replace an auth method, or create it',
      body,
      response: authMethod,
      handle: (request, given) => put(request, given, logins, logger)
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/acl/auth-method/:name',
      aliases: ['/v1/acl/auth-method/'],
      operationId: 'readAuthMethod',
      summary: 'Read an auth method',
      response: authMethod,
      handle: request => {
        const name = nameOf(request)
        return answerRead(request, () => {
          const { authMethods } = request.views
          return readAclOne(request, authMethods.named(request.tenancy, name), {
            source: authMethods,
            watch: 'auth-methods',
            watchOf: row => `auth-methods/${spaceOf(row.tenancy)}`,
            text: (row, mayWrite) => row.json(!mayWrite),
            missing: plain(404, `No auth method with name "${name}" exists`)
          })
        })
      }
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/acl/auth-method/:name',
      aliases: ['/v1/acl/auth-method/'],
      operationId: 'deleteAuthMethod',
      summary: 'Delete an auth method with its binding rules and tokens',
      response: deleted,
      handle: request => {
        const name = nameOf(request)
        request.require('acl', 'write')
        const command = request.command('DeleteAuthMethod', { name })
        return request.write(request.ref(AUTH_METHOD_TOPIC, name), command, () => json(true))
      }
    }),
    route({
      ...read,
      tenancy: 'many',
      method: 'GET',
      path: '/v1/acl/auth-methods',
      operationId: 'listAuthMethods',
      summary: 'List the auth methods, without Config',
      response: Type.Array(entrySchema(authMethodShape)),
      handle: request =>
        answerRead(request, () => {
          const { authMethods } = request.views
          return readAclList(request, {
            source: authMethods,
            watch: 'auth-methods',
            list: tenancy => authMethods.list(tenancy),
            text: row => row.listJson
          })
        })
    })
  ])
