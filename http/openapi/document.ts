// Generates the OpenAPI document from the declarations of the routes.
import type { Route } from '../wire/route.js'
import { templatePath, parametersIn } from '../wire/route-path.js'
import { Components } from './components.js'
import { RESPONSE_HEADERS, HEADER_PARAMETERS, headerParametersOf } from './header-parameters.js'
import { sharedResponses, jsonContent, rawContent, responsesOf } from './responses.js'
import { TAGS } from './tags.js'
import { IsSchema } from 'typebox'
import { queryParameters } from '../wire/query-parameters.js'
import { runAtOnce, type Steps } from '../../projections/steps.js'

/** The security schemes: the ways to send a token. */
const SECURITY_SCHEMES = {
  token: { type: 'apiKey', in: 'header', name: 'X-Service-Token', description: 'The secret of a token' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The secret of a token' },
  query: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'The secret of a token; it goes before all others'
  }
} as const

/** Requests without a token have the permissions of the anonymous token. */
const securityOf = ({ access }: Route): object[] =>
  access.resolvesToken ? [...Object.keys(SECURITY_SCHEMES).map(name => ({ [name]: [] })), {}] : []

const describe = ({ access, blocking, consistency = 'none', caching = 'none' }: Route): string => {
  const permission = access.permissions.join(' and ') || (access.resolvesToken ? 'any valid token' : 'none')
  const note = access.note === undefined ? '' : ` (${access.note})`
  return [
    `Permission: ${permission}${note}.`,
    `Blocking queries: ${blocking ? 'yes' : 'no'}. Consistency modes: ${consistency}. Caching: ${caching}.`
  ].join('\n\n')
}

const pathParameters = ({ path }: Route): object[] =>
  parametersIn(path).map(name => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

const queryParametersOf = (route: Route, components: Components): object[] =>
  Object.entries(queryParameters(route)).map(([name, meaning]) => {
    if (!IsSchema(meaning)) return { name, in: 'query', schema: { type: 'string' }, description: meaning }
    return { name, in: 'query', schema: components.show(meaning) }
  })

const requestBody = ({ body, rawBody }: Route, components: Components): object => {
  if (rawBody) return { requestBody: { content: rawContent(rawBody) } }
  if (!body) return {}
  const { schema, optional = false } = body
  return {
    requestBody: {
      ...(optional ? {} : { description: 'Required: without a body the answer is 400 `EOF`' }),
      required: !optional,
      content: jsonContent(schema, components)
    }
  }
}

/** Returns the operation of a route, and adds its named schemas to the components. @throws Error if an example is missing */
const operationOf = (route: Route, components: Components): object => ({
  operationId: route.operationId,
  summary: route.summary,
  description: describe(route),
  tags: [route.tag],
  parameters: [
    ...pathParameters(route),
    ...queryParametersOf(route, components),
    ...headerParametersOf(route)
  ],
  security: securityOf(route),
  ...requestBody(route, components),
  responses: responsesOf(route, components)
})

const INFO = {
  title: 'Annals',
  version: '1',
  description:
    'Access control, catalog and health, keys and values, queries, transactions, configuration and the event stream',
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'Annals' }
}

/** Operations by path and method. */
function* pathsOf(routes: readonly Route[], components: Components): Steps<object> {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes.filter(({ isVariant }) => !isVariant)) {
    const methods = (paths[templatePath(route.path)] ??= {})
    methods[route.method.toLowerCase()] = operationOf(route, components)
    yield
  }
  return paths
}

/** Returns the OpenAPI document of all routes. @throws Error if two schemas have one name, or an example is missing */
export const openApiOf = (routes: readonly Route[]): object => runAtOnce(openApiSteps(routes))

/** Generates the same in steps. */
export function* openApiSteps(routes: readonly Route[]): Steps<object> {
  const components = new Components()
  const paths = yield* pathsOf(routes, components)
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [
      { url: '/', description: 'The server that gave this description' },
      { url: 'http://127.0.0.1:8500', description: 'A server on this machine, with its default port' }
    ],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      schemas: components.schemas,
      responses: sharedResponses(),
      parameters: HEADER_PARAMETERS,
      headers: RESPONSE_HEADERS
    }
  }
}
