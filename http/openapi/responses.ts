// The responses of a route, including refusals, with examples.
import type { TSchema } from 'typebox'
import { isObject } from '../../events/values.js'
import { JSON_PATCH_TYPE, JSON_TYPE, TEXT_TYPE, CODE_HEADER } from '../wire/response.js'
import { CHECKPOINT_HEADER } from '../wire/log-evidence.js'
import { jsonPatch } from '../schemas/history.js'
import { storesResponses } from '../wire/idempotency/key.js'
import type { Outcome, Route } from '../wire/route.js'
import { parametersIn } from '../wire/route-path.js'
import { RESPONSE_HEADERS } from './header-parameters.js'
import type { Components } from './components.js'
import { SCHEMA_BY_TYPE } from '../../events/definition/forms/forms.js'

const keyword = (schema: unknown, name: string): unknown => (isObject(schema) ? schema[name] : undefined)

const hasExamples = (schema: unknown): boolean => keyword(schema, 'examples') !== undefined

const properties = (schema: unknown): [string, unknown][] => {
  const fields = keyword(schema, 'properties')
  const required = keyword(schema, 'required')
  const isShown = (name: string, field: unknown): boolean =>
    hasExamples(field) || (Array.isArray(required) && required.includes(name))
  return isObject(fields) ? Object.entries(fields).filter(([name, field]) => isShown(name, field)) : []
}

/** Returns an example by type. Examples of texts must be declared, since any text would mislead. @throws Error */
const exampleByType = (schema: unknown): unknown => {
  switch (keyword(schema, 'type')) {
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return 1
    case 'null':
      return null
    case 'array':
      return [exampleOf(keyword(schema, 'items'))]
    case 'object':
      return Object.fromEntries(properties(schema).map(([name, field]) => [name, exampleOf(field)]))
    default:
      throw new Error(`no example for ${JSON.stringify(schema)}`)
  }
}

/**
 * Returns the declared example of a schema, or one composed of the examples of its parts.
 * @throws Error if it, or a required part, has none
 */
const exampleOf = (schema: unknown): unknown => {
  const examples = keyword(schema, 'examples')
  if (Array.isArray(examples)) return examples[0]
  const constant = keyword(schema, 'const')
  if (constant !== undefined) return constant
  const options = keyword(schema, SCHEMA_BY_TYPE) ?? keyword(schema, 'anyOf')
  return Array.isArray(options) ? exampleOf(options.find(hasExamples) ?? options[0]) : exampleByType(schema)
}

const TEXT = TEXT_TYPE.replace(/;.*/, '')

/** Refusals that many routes share, by component name. */
const REFUSALS = {
  BadRequest: [400, 'The request is wrong: the text names the field and the rule', 'Missing key name'],
  Disabled: [401, 'ACLs are off', 'ACL support disabled'],
  Denied: [403, 'The token is unknown, or lacks the permission that the text names', 'ACL not found'],
  NotFound: [404, 'What the path names does not exist', 'Key "web/port" does not exist'],
  Conflict: [409, 'The state does not allow it: the text says why', 'Namespace "team" is being deleted'],
  TooLarge: [413, 'The body, or the answer, is larger than the limit', 'Request body is too large'],
  OtherBody: [
    422,
    'The idempotency key was used with another body',
    'X-Service-Idempotency-Key was used with another body: a key is for one request'
  ],
  TooMany: [429, 'Too many requests or failed logins: see Retry-After', 'Too many failed logins'],
  Failed: ['default', 'The server failed: the text says why', 'The log cannot be written']
} as const

type RefusalName = keyof typeof REFUSALS

const text = (example: string) => ({ [TEXT]: { schema: { type: 'string' }, example } })

const header = (name: keyof typeof RESPONSE_HEADERS): object => ({ $ref: `#/components/headers/${name}` })

/** Returns the components of the shared refusals. */
export const sharedResponses = (): object =>
  Object.fromEntries(
    Object.entries(REFUSALS).map(([name, [, description, example]]) => [
      name,
      { description, headers: { [CODE_HEADER]: header('ErrorCode') }, content: text(example) }
    ])
  )

/** Returns the possible refusals of a route. */
const refusalsOf = (route: Route): RefusalName[] => {
  const { method, path, access, body, rawBody, tag } = route
  const isWrite = method !== 'GET'
  return [
    'BadRequest',
    ...(tag.startsWith('ACL') ? ['Disabled' as const] : []),
    ...(access.resolvesToken ? ['Denied' as const, 'TooMany' as const] : []),
    ...(parametersIn(path).length > 0 ? ['NotFound' as const] : []),
    ...(isWrite ? ['Conflict' as const] : []),
    ...(body || rawBody ? ['TooLarge' as const] : []),
    ...(storesResponses(route) ? ['OtherBody' as const] : []),
    'Failed'
  ]
}

export const jsonContent = (schema: TSchema, components: Components, type = JSON_TYPE): object => ({
  [type]: { schema: components.show(schema), example: exampleOf(schema) }
})

/** Returns content other than JSON. Binary content has no example. */
export const rawContent = ({ type, description, example }: NonNullable<Route['rawBody']>) => ({
  [type]:
    example === undefined
      ? { schema: { type: 'string', format: 'binary', description } }
      : { schema: { type: 'string', description }, example }
})

const headersOf = ({ blocking, method, isPaged }: Route): object => {
  const index = { 'X-Service-Index': header('Index') }
  if (method !== 'GET') return { headers: { ...index, [CHECKPOINT_HEADER]: header('Checkpoint') } }
  if (!blocking && !isPaged) return {}
  return { headers: { ...(blocking ? index : {}), ...(isPaged ? { Link: header('Link') } : {}) } }
}

const done = (route: Route, components: Components): object => {
  const { response, rawResponse, past } = route
  if (!response && !rawResponse) return { description: 'Done; there is no body', ...headersOf(route) }
  const content = {
    ...(response ? jsonContent(response, components) : {}),
    // The response to `diff`.
    ...(past?.needs ? jsonContent(jsonPatch, components, JSON_PATCH_TYPE) : {}),
    ...(rawResponse ? rawContent(rawResponse) : {})
  }
  return { description: 'The answer', ...headersOf(route), content }
}

const outcome = (
  { description, response }: Outcome,
  { rawResponse }: Route,
  components: Components
): object => ({
  description,
  content: response
    ? { ...jsonContent(response, components), ...(rawResponse ? rawContent(rawResponse) : {}) }
    : text(description)
})

/** Returns the responses of a route, by status. */
export const responsesOf = (route: Route, components: Components): object => ({
  200: done(route, components),
  ...Object.fromEntries(
    refusalsOf(route).map(name => [REFUSALS[name][0], { $ref: `#/components/responses/${name}` }])
  ),
  ...Object.fromEntries(
    Object.entries(route.outcomes ?? {}).map(([status, one]) => [status, outcome(one, route, components)])
  )
})
