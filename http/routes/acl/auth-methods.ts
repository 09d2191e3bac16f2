// Auth methods (spec: auth.md §1).
import { refusedWith, json, type RouteResponse } from '../../wire/response.js'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { Logins } from '../../../actors/login/logins.js'
import { spaceOf } from '../../../projections/row-table.js'
import { planMethod } from '../../../actors/auth-method/auth-method.js'
import { CONFIG_KEYS } from '../../../actors/auth-method/config.js'
import {
  AUTH_METHOD_TOPIC,
  secretsOf,
  authMethodDefinition,
  type AuthMethodInput,
  type AuthMethodConfigInput
} from '../../../events/auth-method.js'
import type { RequestBodyOf } from '../../../events/definition/types.js'
import { crudRoutes, requireSame } from '../crud.js'
import { aclFacts, readAclList, readAclOne } from './acl-reads.js'
import type { AuthMethodRow } from '../../../projections/acl/auth-methods.js'
import { aclListHistory, authMethodKeyOf } from './acl-history.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import { loggingReasons } from './login.js'
import { datacenterForLocalTokens } from './local-tokens.js'
import { historyOfResource } from '../../wire/history-declaration.js'
import { type RequestContext, writtenAcl } from '../../wire/request-context.js'
import { type Route, inputsOf } from '../../wire/route.js'
import { deleted } from '../../schemas/acl.js'
import { configInputs, configViews } from '../../schemas/auth-method-config.js'

const { read, write } = aclFacts('ACL auth methods')
const inputOf = inputsOf(authMethodDefinition)

/** Restores the documented spelling of configuration keys if letter case does not matter (decisions.md 3). */
const canonicalKeys = (config: AuthMethodConfigInput, foldCase: boolean): AuthMethodConfigInput => {
  if (!foldCase) return config
  const nameOf = (key: string): string =>
    CONFIG_KEYS.find(name => name.toLowerCase() === key.toLowerCase()) ?? key
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [nameOf(key), value]))
}

interface Services {
  readonly logins: Logins
  readonly logger: Logger
}

/** Creates or replaces the auth method of this name. */
const put = async (
  request: RequestContext,
  body: RequestBodyOf<typeof authMethodDefinition.fields>,
  name: string,
  { logins, logger }: Services
): Promise<RouteResponse> => {
  requireSame(authMethodDefinition, 'Name', body.Name, name)
  const { views, settings, tenancy } = request
  const fields = inputOf(body)
  const input: AuthMethodInput = {
    ...fields,
    Name: name,
    Config: canonicalKeys(fields.Config, settings.compat)
  }
  request.require('acl', 'write')
  const { config } = planMethod(input, tenancy, views)
  await loggingReasons(logger, request, name, () => logins.checkConfig(config))
  return request.write(request.ref(AUTH_METHOD_TOPIC, name), request.command('PutAuthMethod', input), () =>
    writtenAcl(request, views.authMethods.named(tenancy, name), row => row.json(false))
  )
}

/** An earlier version of a method shows its secrets only if they equal the current ones. */
const showsSecrets = (
  { past, currentViews: { authMethods } }: RequestContext,
  { method, tenancy }: AuthMethodRow
): boolean => {
  const current = past ? authMethods.named(tenancy, method.Name)?.method : method
  return current !== undefined && isDeepStrictEqual(secretsOf(current), secretsOf(method))
}

const methodRoutes = (services: Services): readonly Route[] =>
  crudRoutes({
    shape: authMethodDefinition,
    freeForm: { request: { Config: configInputs }, response: { Config: configViews } },
    plural: 'AuthMethods',
    paths: ['/v1/acl/auth-method', '/v1/acl/auth-methods'],
    key: { parameter: 'name', label: 'auth method name' },
    createsBySlash: true,
    create: {
      ...write,
      summary: 'Create an auth method, or replace the one of this name',
      handle: (request, body) => put(request, body, body.Name ?? '', services)
    },
    read: {
      ...read,
      summary: 'Read an auth method',
      past: historyOfResource(request => authMethodKeyOf(request, request.param('name'))),
      handle: (request, name) =>
        respondToRead(request, () => {
          const { authMethods } = request.views
          return readAclOne(request, authMethods.named(request.tenancy, name), {
            source: authMethods,
            watch: 'auth-methods',
            watchOf: row => `auth-methods/${spaceOf(row.tenancy)}`,
            text: (row, mayWrite) => row.json(!mayWrite || !showsSecrets(request, row)),
            missing: refusedWith('acl.auth-method.missing', `No auth method with name "${name}" exists`)
          })
        })
    },
    update: {
      ...write,
      summary: 'Replace an auth method, or create it',
      handle: (request, body, name) => put(request, body, name, services)
    },
    remove: {
      ...write,
      summary: 'Delete an auth method with its binding rules and tokens',
      response: deleted,
      handle: (request, name) => {
        request.require('acl', 'write')
        const command = request.command('DeleteAuthMethod', { name })
        return request.write(request.ref(AUTH_METHOD_TOPIC, name), command, () => json(true))
      }
    },
    list: {
      ...read,
      tenancy: 'many',
      isPaged: true,
      summary: 'List the auth methods, without Config',
      past: aclListHistory(AUTH_METHOD_TOPIC),
      handle: request =>
        respondToRead(request, () => {
          const { authMethods } = request.views
          return readAclList(request, {
            source: authMethods,
            watch: 'auth-methods',
            text: row => row.listJson
          })
        })
    }
  })

export const authMethodRoutes = (logins: Logins, logger: Logger): readonly Route[] =>
  datacenterForLocalTokens(methodRoutes({ logins, logger }))
