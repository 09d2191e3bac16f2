// The routes of ACL resources with generated IDs.
import type { Commands, Kind } from '../../../actors/aggregates.js'
import { invalid } from '../../../actors/refusal.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import { isUuid, requireUuid } from '../../../actors/uuid.js'
import { filterFieldsOf } from '../../../events/definition/forms/forms.js'
import type { Fields, RequestBodyOf, ResourceDefinition } from '../../../events/definition/types.js'
import type { Tenancy } from '../../../events/envelope.js'
import { deleted } from '../../schemas/acl.js'
import { responseSchema } from '../../schemas/definition-schemas.js'
import type { Views } from '../../../projections/read-models.js'
import type { Steps } from '../../../projections/steps.js'
import { type HistoryDependency, historyOfResource } from '../../wire/history-declaration.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import { filterOf } from '../../wire/reads/filter.js'
import { type RequestContext, writtenAcl } from '../../wire/request-context.js'
import { json, type Responding, type RouteResponse } from '../../wire/response.js'
import { route, type Route, type RouteFacts } from '../../wire/route.js'
import { crudRoutes } from '../crud.js'
import { aclListHistory, historyByName, locatorOf } from './acl-history.js'
import { type aclFacts, type InTenancy, type ListSource, readAclList, readAclOne } from './acl-reads.js'

interface AclRows<Row> extends ListSource<Row> {
  get(id: string): Row | undefined
}

interface AclResource<F extends Fields, K extends Kind, Row extends InTenancy> {
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
  readonly rowsOf: (views: Views) => AclRows<Row>
  readonly idOf: (row: Row) => string
  /** The nouns of watch keys: of one row and its ID, and of any change. */
  readonly watch: readonly [one: string, any: string]
  /** Returns the response of a read. */
  readonly textOf: (row: Row, views: Views) => string
  /** Returns the entry in a list; by default the response of a read. */
  readonly entryOf?: (row: Row, views: Views) => string
  /** Returns the response to a write, by default that of a read. */
  readonly written?: (request: RequestContext, id: string) => () => RouteResponse
  /** @param called such as `ID "…"` */
  readonly missing: (called: string) => RouteResponse
  /** The code and the label of the refusal of an ID that is no UUID. */
  readonly idNames: readonly [code: Parameters<typeof invalid>[0], label: string]
  readonly named?: {
    find(views: Views, tenancy: Tenancy, name: string): Row | undefined
    /** The code of the refusal of an empty name. */
    readonly code: Parameters<typeof invalid>[0]
  }
  /** Returns the resources whose names a historical response needs. */
  readonly linksOf?: (request: RequestContext, row: Row | undefined) => Iterable<HistoryDependency>
  readonly list: Pick<RouteFacts, 'summary' | 'query'> & {
    /** The topics of linked resources. */
    readonly links?: readonly string[]
    /** See `readAclList`. @throws Refusal `invalid` */
    readonly linked?: (request: RequestContext) => readonly Row[] | undefined
    /** Returns the object to which the parameter `filter` applies. */
    readonly filtered?: (row: Row, views: Views) => object
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

/** Reads one row by its ID or name. */
const readOne = <F extends Fields, K extends Kind, Row extends InTenancy>(
  { rowsOf, idOf, watch: [one, any], textOf, missing }: AclResource<F, K, Row>,
  request: RequestContext,
  called: string,
  find: (views: Views) => Row | undefined
): Responding =>
  respondToRead(request, () => {
    const { views } = request
    return readAclOne(request, find(views), {
      source: rowsOf(views),
      watch: any,
      watchOf: row => `${one}/${idOf(row)}`,
      text: row => textOf(row, views),
      missing: missing(called)
    })
  })

const listRoute = <F extends Fields, K extends Kind, Row extends InTenancy>({
  shape,
  topic,
  rowsOf,
  watch: [, any],
  textOf,
  entryOf = textOf,
  list: { links, linked, filtered, ...facts }
}: AclResource<F, K, Row>) => {
  const filterFields = filterFieldsOf(shape.fields)
  return {
    ...facts,
    past: aclListHistory(topic, links),
    handle: (request: RequestContext): Responding =>
      respondToRead(request, () => {
        const { views } = request
        request.require('acl', 'read')
        const rows = linked?.(request)
        const passes = filtered && filterOf(request, filterFields)
        return readAclList(request, {
          source: rowsOf(views),
          watch: any,
          linked: rows,
          passes: passes && (row => passes(filtered(row, views))),
          text: row => entryOf(row, views)
        })
      })
  }
}

const readByNameRoutes = <F extends Fields, K extends Kind, Row extends InTenancy>(
  resource: AclResource<F, K, Row>
): readonly Route[] => {
  const { shape, topic, noun, paths, facts, idOf, linksOf, named } = resource
  if (!named) return []
  const find = (views: Views, { tenancy }: RequestContext, name: string) => named.find(views, tenancy, name)
  const byName = route({
    ...facts.read,
    path: `${paths[0]}/name/:name`,
    aliases: [`${paths[0]}/name/`],
    operationId: `read${shape.name}ByName`,
    summary: `Read a ${noun} by name`,
    past: historyByName(
      topic,
      (views, request) => find(views, request, request.param('name')),
      idOf,
      linksOf
    ),
    response: responseSchema(shape),
    handle: request => {
      const name = request.param('name')
      if (name === '') throw invalid(named.code, `Bad request: Missing ${noun} Name`)
      return readOne(resource, request, `name "${name}"`, views => find(views, request, name))
    }
  })
  return [byName]
}

/** Returns the create, read, update, delete and list routes, and that of a read by name. Writes require `acl:write`. */
export const aclCrudRoutes = <const F extends Fields, const K extends Kind, Row extends InTenancy>(
  resource: AclResource<F, K, Row>
): readonly Route[] => {
  const { shape, topic, noun, plural, paths, facts, rowsOf, textOf, named, linksOf = () => [] } = resource
  const { read, write } = facts
  const keyOf = locatorOf(topic, (views, id) => rowsOf(views).get(id))
  const readBack = (request: RequestContext, id: string) => () => {
    const { views } = request
    return writtenAcl(request, rowsOf(views).get(id), row => textOf(row, views))
  }
  const { written = readBack } = resource
  const crud = crudRoutes({
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
    read: {
      ...read,
      tenancy: 'many',
      summary: `Read a ${noun}${named ? ' by ID' : ''}`,
      past: historyOfResource(
        request => keyOf(request, request.param('id')),
        (request, past) => linksOf(request, rowsOf(past).get(request.param('id')))
      ),
      handle: (request, id) =>
        readOne(resource, request, `ID "${id}"`, views => {
          if (!isUuid(id)) request.require('acl', 'read')
          requireUuid(...resource.idNames, id)
          return isWithinTenancy(rowsOf(views).get(id), request.tenancy)
        })
    },
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
    list: { ...read, tenancy: 'many', isPaged: true, ...listRoute(resource) }
  })
  return [...crud, ...readByNameRoutes(resource)]
}
