// The create, read, update, delete and list routes of a resource kind.
import type { JsonObjectTypes } from '../../events/definition/forms/forms.js'
import * as Type from 'typebox'
import { invalid } from '../../actors/refusal.js'
import type { Fields, RequestBodyOf, ResourceDefinition } from '../../events/definition/types.js'
import { responseSchema, bodySchema, entrySchema } from '../schemas/definition-schemas.js'
import type { RouteResponse } from '../wire/response.js'
import type { RequestContext } from '../wire/request-context.js'
import { bodyRoute, route, type Route, type RouteFacts } from '../wire/route.js'

/** The facts and the handler of one of the routes. Keys from paths are never empty. */
type Crud<Arguments extends readonly unknown[]> = Omit<RouteFacts, 'method' | 'path' | 'operationId'> & {
  readonly handle: (request: RequestContext, ...args: Arguments) => RouteResponse | Promise<RouteResponse>
}

interface CrudResource<F extends Fields> {
  readonly shape: ResourceDefinition<F>
  /** Schemas of the free-form fields. */
  readonly freeForm?: Readonly<Record<'request' | 'response', JsonObjectTypes>>
  /** The suffix of the list's operation ID: `Policies`. */
  readonly plural: string
  /** `/v1/acl/policy`, `/v1/acl/policies`. */
  readonly paths: readonly [one: string, list: string]
  /** The path parameter, and its name in error messages: `policy ID`. */
  readonly key: { readonly parameter: 'id' | 'name'; readonly label: string }
  /** Whether a PUT of the path with a slash and no key creates a resource; otherwise the key is missing. */
  readonly createsBySlash: boolean
  readonly create: Crud<readonly [RequestBodyOf<F>]>
  readonly read: Crud<readonly [key: string]>
  readonly update: Crud<readonly [RequestBodyOf<F>, key: string]>
  readonly remove: Crud<readonly [key: string]>
  readonly list: Crud<readonly []>
}

/** @throws Refusal `invalid` if `field` of the body differs from the path */
export const requireSame = (
  { name }: ResourceDefinition,
  field: 'ID' | 'Name',
  value: string | undefined,
  key: string
): void => {
  if (value && value !== key)
    throw invalid('request.invalid', `Bad request: ${name} ${field} in URL and payload do not match`)
}

export const crudRoutes = <const F extends Fields>(resource: CrudResource<F>): readonly Route[] => {
  const { shape, freeForm, plural, paths, key, createsBySlash, create, read, update, remove, list } = resource
  const [one, many] = paths
  const keyed = { path: `${one}/:${key.parameter}`, aliases: [`${one}/`] }
  const body = { schema: bodySchema(shape, freeForm?.request), name: shape.name }
  const response = responseSchema(shape, freeForm?.response)
  const keyOf = (request: RequestContext): string => {
    const value = request.param(key.parameter)
    if (value === '') throw invalid('request.invalid', `Bad request: Missing ${key.label}`)
    return value
  }
  return [
    bodyRoute({
      response,
      ...create,
      method: 'PUT',
      path: one,
      aliases: createsBySlash ? [`${one}/`] : [],
      operationId: `create${shape.name}`,
      body
    }),
    route({
      response,
      ...read,
      ...keyed,
      method: 'GET',
      operationId: `read${shape.name}`,
      handle: request => read.handle(request, keyOf(request))
    }),
    bodyRoute({
      response,
      ...update,
      ...keyed,
      aliases: createsBySlash ? [] : keyed.aliases,
      method: 'PUT',
      operationId: `update${shape.name}`,
      body,
      handle: (request, input) => update.handle(request, input, keyOf(request))
    }),
    route({
      ...remove,
      ...keyed,
      method: 'DELETE',
      operationId: `delete${shape.name}`,
      handle: request => remove.handle(request, keyOf(request))
    }),
    route({
      response: Type.Array(entrySchema(shape)),
      ...list,
      method: 'GET',
      path: many,
      operationId: `list${plural}`
    })
  ]
}
