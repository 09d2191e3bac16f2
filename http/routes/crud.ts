// The routes by which things of one kind are created, read, replaced, deleted and listed, where they say the same.
import * as Type from 'typebox'
import { invalid } from '../../actors/refusal.js'
import type { Fields, RequestBodyOf, ResourceDefinition } from '../../events/definition/types.js'
import {
  responseSchema,
  bodySchema,
  entrySchema,
  type JsonObjectTypes
} from '../schemas/definition-schemas.js'
import type { RouteResponse } from '../wire/response.js'
import type { RequestContext } from '../wire/request-context.js'
import { bodyRoute, route, type Route, type RouteFacts } from '../wire/route.js'

/** What is declared of one of the routes, and what it does. Keys come from paths, and are never empty. */
type Crud<Arguments extends readonly unknown[]> = Omit<RouteFacts, 'method' | 'path' | 'operationId'> & {
  readonly handle: (request: RequestContext, ...given: Arguments) => RouteResponse | Promise<RouteResponse>
}

/** How things of one kind are reached. */
interface Things<F extends Fields> {
  readonly shape: ResourceDefinition<F>
  /** What its free fields hold, in bodies and in answers. */
  readonly free?: Readonly<Record<'given' | 'shown', JsonObjectTypes>>
  /** Many of them, as operations call them: `Policies`. */
  readonly plural: string
  /** Of one, before its key, and of the list: `/v1/acl/policy`, `/v1/acl/policies`. */
  readonly paths: readonly [one: string, list: string]
  /** What the path's parameter is called, and what errors say where it is empty: `policy ID`. */
  readonly key: { readonly parameter: 'id' | 'name'; readonly called: string }
  /** Whether a PUT of the path with a slash and no key creates one, too; otherwise it lacks the key. */
  readonly createsBySlash: boolean
  readonly create: Crud<readonly [RequestBodyOf<F>]>
  readonly read: Crud<readonly [key: string]>
  readonly update: Crud<readonly [RequestBodyOf<F>, key: string]>
  readonly remove: Crud<readonly [key: string]>
  readonly list: Crud<readonly []>
}

/**
 * @throws Refusal `invalid` where the body names another thing than the path
 * @param field that names it
 */
export const requireSame = (
  { name }: ResourceDefinition,
  field: 'ID' | 'Name',
  given: string | undefined,
  key: string
): void => {
  if (given && given !== key) throw invalid(`Bad request: ${name} ${field} in URL and payload do not match`)
}

/** The five routes of a kind of thing: their bodies and answers are those of its shape. */
export const crudRoutes = <const F extends Fields>(resources: Things<F>): readonly Route[] => {
  const { shape, free, plural, paths, key, createsBySlash, create, read, update, remove, list } = resources
  const [one, many] = paths
  const keyed = { path: `${one}/:${key.parameter}`, aliases: [`${one}/`] }
  const body = { schema: bodySchema(shape, free?.given), name: shape.name }
  const response = responseSchema(shape, free?.shown)
  const keyOf = (request: RequestContext): string => {
    const given = request.param(key.parameter)
    if (given === '') throw invalid(`Bad request: Missing ${key.called}`)
    return given
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
      handle: (request, given) => update.handle(request, given, keyOf(request))
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
