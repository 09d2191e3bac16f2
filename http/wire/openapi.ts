// The description of the API in OpenAPI form, made from what the routes declare.
import type { SwaggerOptions } from '@fastify/swagger'
import fastify, { type FastifySchema } from 'fastify'
import * as Type from 'typebox'
import { queryParameters } from './query-parameters.js'
import { noSchemas } from './bodies/schema-compilers.js'
import type { Route } from './route.js'
import { parametersIn, routerPath, templatePath } from './route-path.js'

/** @param templates paths as the document shows them, by what the framework calls them */
const openApi = (templates: ReadonlyMap<string, string>): SwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Annals',
      version: '1',
      description: 'Access control, queries, transactions, configuration and the event stream, under /v1'
    },
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Service-Token' },
        bearer: { type: 'http', scheme: 'bearer' }
      }
    }
  },
  transform: ({ schema, url }) => ({ schema, url: templates.get(url) ?? url })
})

const describe = ({ access, blocking, consistency, caching }: Route): string => {
  const permission = access.permissions.join(' and ') || (access.resolvesToken ? 'any valid token' : 'none')
  const note = access.note === undefined ? '' : ` (${access.note})`
  return [
    `Permission: ${permission}${note}.`,
    `Blocking queries: ${blocking ? 'yes' : 'no'}. Consistency modes: ${consistency}. Caching: ${caching}.`
  ].join('\n\n')
}

const parametersOf = ({ path }: Route) => {
  const names = parametersIn(path)
  return names.length > 0
    ? { params: Type.Object(Object.fromEntries(names.map(name => [name, Type.String()]))) }
    : {}
}

const queryOf = (route: Route) => {
  const fields = Object.entries(queryParameters(route)).map(
    ([name, description]) => [name, Type.Optional(Type.String({ description }))] as const
  )
  return { querystring: Type.Object(Object.fromEntries(fields)) }
}

/** Without a token a request is the anonymous token's, which may have rights too. */
const securityOf = ({ access }: Route) => (access.resolvesToken ? [{ token: [] }, { bearer: [] }, {}] : [])

/** Of a route that declares no JSON the answer is text, bytes or nothing. */
const answerOf = ({ response }: Route) => ({
  description: 'Done',
  content: response ? { 'application/json': { schema: response } } : { '*/*': { schema: {} } }
})

/** Any other status. */
const REFUSAL = {
  description: 'Refused, or failed: the text says why',
  content: { 'text/plain': { schema: { type: 'string' } } }
}

const routeSchema = (route: Route): FastifySchema => ({
  summary: route.summary,
  description: describe(route),
  tags: [route.tag],
  ...parametersOf(route),
  ...queryOf(route),
  security: securityOf(route),
  ...(route.body ? { body: route.body.schema } : {}),
  response: {
    200: answerOf(route),
    default: REFUSAL
  }
})

/**
 * The OpenAPI document of these routes. It is made by a framework instance of its own that never listens, so that a
 * server which nobody asks for it neither loads nor pays what it takes: some 100 ms.
 */
export const openApiOf = async (routes: readonly Route[]): Promise<object> => {
  const { default: swagger } = await import('@fastify/swagger')
  const describing = fastify({ exposeHeadRoutes: false, schemaController: noSchemas })
  describing.setValidatorCompiler(() => () => true)
  describing.setSerializerCompiler(() => JSON.stringify)
  const templates = new Map(routes.map(({ path }) => [routerPath(path), templatePath(path)]))
  await describing.register(swagger, openApi(templates))
  for (const route of routes)
    describing.route({
      method: route.method,
      url: routerPath(route.path),
      schema: routeSchema(route),
      handler: () => {}
    })
  await describing.ready()
  const document = describing.swagger()
  await describing.close()
  return document
}
