// One operation of the OpenAPI document: what a route declares of itself.
import { IsSchema } from 'typebox'
import { queryParameters } from '../wire/query-parameters.js'
import type { Route } from '../wire/route.js'
import { parametersIn } from '../wire/route-path.js'
import type { Components } from './components.js'
import { headerParametersOf } from './header-parameters.js'
import { jsonContent, rawContent, responsesOf } from './responses.js'

/** Names of the security schemes: the ways to show a token. */
export const SECURITY_SCHEMES = {
  token: { type: 'apiKey', in: 'header', name: 'X-Service-Token', description: 'The secret of a token' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The secret of a token' },
  query: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'The secret of a token; it goes before all others'
  }
} as const

/** Without a token a request is the anonymous token's, which may have rights too. */
const securityOf = ({ access }: Route): object[] =>
  access.resolvesToken ? [...Object.keys(SECURITY_SCHEMES).map(name => ({ [name]: [] })), {}] : []

const describe = ({ access, blocking, consistency, caching }: Route): string => {
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

/** What the document says of a route. Its named schemas go to the components. @throws Error where an example lacks */
export const operationOf = (route: Route, components: Components): object => ({
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
