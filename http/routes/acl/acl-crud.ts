// The routes of ACL resources with generated IDs.
import type { Commands, Kind } from '../../../actors/aggregates.js'
import type { Fields, RequestBodyOf, ResourceDefinition } from '../../../events/definition/types.js'
import { deleted } from '../../schemas/acl.js'
import type { Steps } from '../../../projections/steps.js'
import type { HistoryDeclaration } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { json, type Responding, type RouteResponse } from '../../wire/response.js'
import type { Route, RouteFacts } from '../../wire/route.js'
import { crudRoutes } from '../crud.js'
import type { aclFacts } from './acl-reads.js'

interface AclResource<F extends Fields, K extends Kind> {
  readonly shape: ResourceDefinition<F>
  readonly topic: K
  /** The kind in summaries and errors: `policy`. */
  readonly noun: string
  readonly plural: string
  readonly paths: readonly [one: string, list: string]
  readonly facts: ReturnType<typeof aclFacts>
  /** @param id of the path; empty for a new resource. @throws Refusal `invalid` if the body contradicts it */
  checkId(body: RequestBodyOf<F>, id: string): void
  /** Returns steps that prepare a long decision, without an effect; undefined for other bodies. */
  prepare?(request: RequestContext, body: RequestBodyOf<F>): Steps<unknown> | undefined
  create(request: RequestContext, body: RequestBodyOf<F>, newId: string): Commands[K]
  update(request: RequestContext, body: RequestBodyOf<F>, id: string): Commands[K]
  remove(request: RequestContext, id: string): Commands[K]
  /** Returns the response with the stored resource. */
  readonly written: (request: RequestContext, id: string) => () => RouteResponse
  readonly read: {
    readonly summary: string
    readonly past: HistoryDeclaration
    handle(request: RequestContext, id: string): Responding
  }
  readonly list: Pick<RouteFacts, 'summary' | 'past' | 'query'> & {
    handle(request: RequestContext): Responding
  }
}

/** Decides a write after steps that prepare it. The token may lose its permission meanwhile. */
export const decideAfter = (
  request: RequestContext,
  steps: Steps<unknown> | undefined,
  decide: () => RouteResponse
): Responding => {
  request.require('acl', 'write')
  if (!steps) return decide()
  return request.runBeside(steps).then(() => {
    request.forgetAuthority()
    request.require('acl', 'write')
    return decide()
  })
}

/** Returns the create, read, update, delete and list routes. Writes require `acl:write`. */
export const aclCrudRoutes = <const F extends Fields, const K extends Kind>(
  resource: AclResource<F, K>
): readonly Route[] => {
  const { shape, topic, noun, plural, paths, facts, written } = resource
  const { read, write } = facts
  return crudRoutes({
    shape,
    plural,
    paths,
    key: { parameter: 'id', label: `${noun} ID` },
    createsBySlash: true,
    create: {
      ...write,
      summary: `Create a ${noun}`,
      handle: (request, body) => {
        resource.checkId(body, '')
        const newId = request.newId()
        return decideAfter(request, resource.prepare?.(request, body), () => {
          const command = resource.create(request, body, newId)
          return request.write(request.ref(topic, newId), command, written(request, newId))
        })
      }
    },
    read: { ...read, tenancy: 'many', ...resource.read },
    update: {
      ...write,
      summary: `Replace a ${noun}`,
      handle: (request, body, id) => {
        resource.checkId(body, id)
        return decideAfter(request, resource.prepare?.(request, body), () => {
          const command = resource.update(request, body, id)
          return request.write(request.ref(topic, id.toLowerCase()), command, written(request, id))
        })
      }
    },
    remove: {
      ...write,
      summary: `Delete a ${noun}`,
      response: deleted,
      handle: (request, id) => {
        request.require('acl', 'write')
        const command = resource.remove(request, id)
        return request.write(request.ref(topic, id.toLowerCase()), command, () => json(true))
      }
    },
    list: { ...read, tenancy: 'many', isPaged: true, ...resource.list }
  })
}
