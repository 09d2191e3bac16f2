// Sessions (spec: state.md §5).
import * as Type from 'typebox'
import type { SessionExpiration } from '../../../actors/processes/session-expiration.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import type { SessionContent } from '../../../actors/session.js'
import {
  SESSION_TOPIC,
  type SessionBehavior,
  type SessionInput,
  sessionDefinition
} from '../../../events/session.js'
import { sessionsWatchKey, type SessionRow } from '../../../projections/sessions/sessions.js'
import type { WatchKey } from '../../../projections/watch.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { json, jsonText, type RouteResponse } from '../../wire/response.js'
import { respondToRead, type ListState } from '../../wire/reads/blocking.js'
import { JsonList } from '../../wire/reads/json-list.js'
import { readable, type Readable } from '../../wire/reads/filter.js'
import { readableSteps, unorderedPart, type PagePart } from '../../wire/reads/page.js'
import { historyOfResource, historyOfList, resourceIn } from '../../wire/history-declaration.js'
import { requireOnNode } from '../catalog/registration-permissions.js'
import { type RequestContext, withNamespace } from '../../wire/request-context.js'
import { anyToken, bodyRoute, requires, route, type Route, inputsOf } from '../../wire/route.js'
import { sessionId } from '../../schemas/kv.js'
import { responseSchema, bodySchema } from '../../schemas/definition-schemas.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

const DECODING_FAILED = 'Request decode failed'
const UUID_LENGTH = 36
const DEFAULT_CHECK = 'serfHealth'

const session = responseSchema(sessionDefinition)
const facts = { tag: 'Sessions' } as const
const read = {
  ...facts,
  method: 'GET',
  access: anyToken('session:read on the node of each session; others are left out'),
  blocking: true,
  consistency: 'all',
  isConfined: true,
  response: Type.Array(session)
} as const
const write = {
  ...facts,
  method: 'PUT',
  access: requires('session:write', 'on the node of the session')
} as const

const behavior = ({ Behavior }: SessionInput): SessionBehavior => {
  if (Behavior === '' || Behavior === 'release') return 'release'
  if (Behavior === 'delete') return 'delete'
  throw invalid('session.invalid', `Invalid Behavior setting '${Behavior}': it must be release or delete`)
}

const isDefault = (checks: readonly string[]): boolean => checks.length === 1 && checks[0] === DEFAULT_CHECK

/** Merges the two names of node checks (state.md §5, row Checks). */
const nodeChecks = ({ NodeChecks, Checks }: SessionInput): Pick<SessionContent, 'NodeChecks' | 'Checks'> => {
  if (Checks === undefined || (Checks !== null && isDefault(Checks))) return { NodeChecks, Checks: [] }
  if (Checks === null || Checks.length === 0) return { NodeChecks: [], Checks: [] }
  return { NodeChecks, Checks: NodeChecks?.length === 0 ? [] : Checks }
}

const inputOf = inputsOf(sessionDefinition, DECODING_FAILED)

const contentOf = (input: SessionInput, ownNode: string): SessionContent => ({
  ...input,
  ServiceChecks:
    input.ServiceChecks?.map(({ ID, Namespace }) => ({ ID, Namespace: Namespace.toLowerCase() })) ?? null,
  Node: input.Node ?? ownNode,
  Behavior: behavior(input),
  ...nodeChecks(input)
})

/** Returns the ID of a request. One of the right length need not be a UUID. @throws Refusal `invalid` */
const idOf = (request: RequestContext): string => {
  const id = request.param('id')
  if (id === '') throw invalid('session.invalid', 'Missing session')
  if (id.length !== UUID_LENGTH)
    throw invalid(
      'session.invalid',
      `Session ID "${id}" is not a valid UUID: a UUID must be ${UUID_LENGTH} characters`
    )
  return id
}

const stored = (request: RequestContext): SessionRow | undefined =>
  isWithinTenancy(request.views.sessions.get(idOf(request)), request.tenancy)

/** Returns the index and watch keys of the request's tenancy. */
const extent = (request: RequestContext): { readonly index: number; readonly watch: readonly WatchKey[] } => {
  const { tenancy, views } = request
  const { sessions } = views
  if (tenancy.namespace !== ALL_NAMESPACES)
    return { index: sessions.indexOf(tenancy), watch: [sessionsWatchKey(tenancy)] }
  return { index: sessions.index, watch: [`sessions/${tenancy.partition}`] }
}

const mayRead =
  (request: RequestContext) =>
  ({ session: { Node }, tenancy }: SessionRow): boolean =>
    request.may('session', 'read', Node, tenancy)

const readSessions = (
  request: RequestContext,
  find: () => Readable<SessionRow> | Steps<Readable<SessionRow>>
) =>
  respondToRead(request, (): ListState => {
    const isEverywhere = request.tenancy.namespace === ALL_NAMESPACES
    const found = find()
    const steps = function* (): Steps<RouteResponse> {
      const { entries, headers } = 'next' in found ? yield* found : found
      const list = new JsonList()
      const pace = new StepPace()
      for (const row of entries) {
        list.push(isEverywhere ? withNamespace(row.json, row.tenancy) : row.json)
        if (pace.isOver(row.json.length)) yield
      }
      return jsonText(list.end(), headers)
    }
    return { ...extent(request), steps: steps() }
  })

const inTenancy = (request: RequestContext, rows: readonly SessionRow[]): readonly SessionRow[] => {
  const { namespace } = request.tenancy
  return namespace === ALL_NAMESPACES ? rows : rows.filter(row => row.tenancy.namespace === namespace)
}

const all = (request: RequestContext): Iterable<SessionRow> => {
  const { sessions } = request.views
  const { partition, namespace } = request.tenancy
  if (namespace !== ALL_NAMESPACES) return sessions.inOrder(request.tenancy)
  return sessions.namespaces(partition).flatMap(name => sessions.list({ partition, namespace: name }))
}

const idOfRow = ({ session: { ID } }: SessionRow): string => ID

/** Returns the sessions of the request's tenancy, with `ns=*` by namespace. */
const partsOf = ({ views, tenancy }: RequestContext): readonly PagePart<SessionRow>[] => {
  const { sessions } = views
  const { partition, namespace } = tenancy
  if (namespace !== ALL_NAMESPACES) return [{ name: '', behind: after => sessions.behind(tenancy, after) }]
  return sessions
    .namespaces(partition)
    .map(name => ({ name, behind: after => sessions.behind({ partition, namespace: name }, after) }))
}

const createRoute: Route = bodyRoute({
  ...write,
  path: '/v1/session/create',
  operationId: 'createSession',
  summary: 'Create a session',
  body: {
    schema: bodySchema(sessionDefinition),
    name: 'Session',
    optional: true,
    ignoresUnknown: true,
    failure: DECODING_FAILED
  },
  response: sessionId,
  handle: (request, body) => {
    const data = { ...contentOf(inputOf(body), request.agentNode), newId: request.newId() }
    requireOnNode(request, 'session', 'write', data.Node, request.tenancy)
    return request.write(request.ref(SESSION_TOPIC, data.newId), request.command('CreateSession', data), () =>
      json({ ID: data.newId })
    )
  }
})

const infoRoute: Route = route({
  ...read,
  path: '/v1/session/info/*id',
  operationId: 'readSession',
  summary: 'Read a session',
  past: historyOfResource(request => resourceIn(request, SESSION_TOPIC, request.param('id').toLowerCase())),
  handle: request => {
    idOf(request)
    return readSessions(request, () => {
      const row = stored(request)
      return readable(request, row ? [row] : [], mayRead(request))
    })
  }
})

export const sessionRoutes = (expiry: SessionExpiration): readonly Route[] => [
  createRoute,
  route({
    ...write,
    path: '/v1/session/destroy/*id',
    operationId: 'destroySession',
    summary: 'End a session',
    response: Type.Boolean(),
    handle: request => {
      const row = stored(request)
      if (row) request.require('session', 'write', row.session.Node)
      const id = idOf(request)
      const command = request.command('DestroySession', { id })
      return request.write(request.ref(SESSION_TOPIC, id), command, () => json(true))
    }
  }),
  route({
    ...write,
    path: '/v1/session/renew/*id',
    operationId: 'renewSession',
    summary: 'Restart the TTL of a session',
    response: Type.Array(session),
    handle: request => {
      const row = stored(request)
      if (!row) throw new Refusal('session.not-found', `Session id '${idOf(request)}' not found`)
      request.require('session', 'write', row.session.Node)
      expiry.renew(row.session)
      return jsonText(`[${row.json}]`)
    }
  }),
  infoRoute,
  route({
    ...read,
    path: '/v1/session/node/*node',
    operationId: 'listNodeSessions',
    isPaged: true,
    summary: 'List the sessions on a node',
    past: historyOfList([SESSION_TOPIC], 'namespace'),
    tenancy: 'many',
    handle: request => {
      const node = request.param('node')
      if (node === '') throw invalid('session.invalid', 'Missing node name')
      return readSessions(request, () => {
        const rows = inTenancy(request, request.views.sessions.onNode(request.tenancy.partition, node))
        const parts = [unorderedPart(rows)]
        return readableSteps(request, { all: () => rows, parts, keyOf: idOfRow, may: mayRead(request) })
      })
    }
  }),
  route({
    ...read,
    path: '/v1/session/list',
    operationId: 'listSessions',
    isPaged: true,
    summary: 'List the sessions',
    past: historyOfList([SESSION_TOPIC], 'namespace'),
    tenancy: 'many',
    handle: request =>
      readSessions(request, () =>
        readableSteps(request, {
          all: () => all(request),
          parts: partsOf(request),
          keyOf: idOfRow,
          may: mayRead(request)
        })
      )
  })
]
