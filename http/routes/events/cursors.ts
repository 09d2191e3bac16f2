// Named cursors of the event stream.
import * as Type from 'typebox'
import { checkCursorIndex, checkCursorName, cursorRef } from '../../../actors/cursor.js'
import type { CursorPositions } from '../../../actors/processes/cursor-positions.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { CURSOR_TOPIC, type Cursor, cursorDefinition } from '../../../events/cursor.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { EventLog } from '../../../events/log/log.js'
import type { RequestBodyOf } from '../../../events/definition/types.js'
import { HIDDEN } from '../../../projections/acl/token-row.js'
import { resourceViewsOf } from '../../../projections/definition/resource-views.js'
import { responseSchema, bodySchema } from '../../schemas/definition-schemas.js'
import {
  accessorOf,
  cursorNotFound,
  canReadCursor,
  requireCursorOwner,
  requireCursorRead,
  requireIdentified
} from '../../stream/cursor-access.js'
import type { SubscriptionRequests } from '../../stream/subscription-requests.js'
import { unsigned64 } from '../../wire/query.js'
import { json, type RouteResponse } from '../../wire/response.js'
import { inputsOf } from '../../wire/bodies/input.js'
import type { WebhookTargets, Webhooks } from '../../webhooks/webhooks.js'
import { respondImmediately } from '../../wire/reads/blocking.js'
import { readableRows } from '../../wire/reads/page.js'
import { clusterResource } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, bodyRoute, route, type Route } from '../../wire/route.js'
import { requireSame } from '../crud.js'
import type { CursorLags } from './cursor-lag.js'

const facts = {
  tag: 'Events',
  tenancy: 'none',
  refusesUnknown: true
} as const
const read = {
  ...facts,
  method: 'GET',
  access: anyToken('its owner, or operator:read'),
  consistency: 'consistent',
  // It knows the moves that are not committed yet, and how webhooks fare.
  runs: 'leader'
} as const
const write = {
  ...facts,
  access: anyToken(
    'not the anonymous one; its owner, or operator:write; what a stream of its topics needs, and read on something; and operator:write for a URL'
  )
} as const

type CursorBody = RequestBodyOf<typeof cursorDefinition.fields>
const inputOf = inputsOf(cursorDefinition)
const shown = resourceViewsOf(cursorDefinition)
const cursorAnswer = responseSchema(cursorDefinition)

const INDEX = /^\d{1,15}$/

/** @throws Refusal `invalid` */
const nameOf = (request: RequestContext): string => {
  const name = request.param('name')
  checkCursorName(name)
  return name
}

const absent = (name: string): Refusal => new Refusal('missing', `Cursor "${name}" does not exist`)

/** The index that the caller believes the cursor to stand at. @throws Refusal `invalid` */
const believedBy = ({ query }: RequestContext): number => {
  const text = query.get('cas') ?? ''
  if (!INDEX.test(text))
    throw invalid(
      `Invalid cas: ${JSON.stringify(text.slice(0, 200))} must be the index that the cursor stands at`
    )
  return Number(text)
}

/** Where a body that only moves a cursor has it go. @throws Refusal `invalid` */
const movedTo = (given: CursorBody): number => {
  const other = Object.keys(given).find(field => field !== 'Index')
  if (other !== undefined) throw invalid(`Bad request: with cas a body says Index alone, and not ${other}`)
  if (given.Index === undefined) throw invalid('Bad request: Index is missing: where the cursor is to stand')
  return given.Index
}

/** What cursors are answered from. */
interface CursorDependencies {
  readonly log: EventLog
  readonly positions: CursorPositions
  readonly requests: SubscriptionRequests
  readonly lags: CursorLags
  readonly targets: WebhookTargets
  readonly webhooks: Webhooks
}

/** A cursor as it is shown. @param secret what is shown of what its webhook is signed with */
const shownCursor = (cursor: Cursor, secret = HIDDEN): object =>
  shown(cursor, DEFAULT_TENANCY, cursor.URL === undefined ? {} : { secret })

/** The routes of cursors. */
class CursorEndpoints {
  constructor(private readonly parts: CursorDependencies) {}

  /** @throws Refusal */
  async put(request: RequestContext, given: CursorBody): Promise<RouteResponse> {
    const name = nameOf(request)
    requireIdentified(request)
    return request.query.has('cas') ? this.#move(request, name, given) : this.#define(request, name, given)
  }

  /** @throws Refusal */
  async read(request: RequestContext): Promise<RouteResponse> {
    const name = nameOf(request)
    request.requireToken()
    const cursor = request.views.cursors.get(name)
    if (!cursor) throw absent(name)
    requireCursorRead(request, cursor)
    return this.#answer(request, await this.#shown(cursor))
  }

  /** @throws Refusal */
  async list(request: RequestContext): Promise<RouteResponse> {
    const { cursors } = request.views
    this.parts.lags.keepOnly(cursors)
    const { entries, headers } = readableRows(request, {
      all: () => cursors.list(),
      parts: [{ name: '', behind: after => cursors.behind(after) }],
      keyOf: cursor => cursor.Name,
      may: cursor => canReadCursor(request, cursor)
    })
    const rows: object[] = []
    for (const cursor of entries) rows.push(await this.#shown(cursor))
    return this.#answer(request, rows, headers)
  }

  /** @throws Refusal */
  remove(request: RequestContext): RouteResponse {
    const name = nameOf(request)
    requireIdentified(request)
    const cursor = request.views.cursors.get(name)
    if (cursor) requireCursorOwner(request, cursor)
    return request.write(cursorRef(name), request.command('DeleteCursor', { name }), () => json(true))
  }

  async #define(request: RequestContext, name: string, given: CursorBody): Promise<RouteResponse> {
    const { targets } = this.parts
    requireSame(cursorDefinition, 'Name', given.Name, name)
    const input = inputOf(given)
    if (input.URL !== '') await targets.check(request, input.URL)
    const before = request.views.cursors.get(name)
    if (before) requireCursorOwner(request, before)
    this.parts.requests.requireCursorRights(request, input)
    if (input.Index !== undefined) checkCursorIndex(input.Index, request.views.index)
    const gone = this.#gone(input.Index)
    if (gone) return gone
    const owner = accessorOf(request)
    const maxPerOwner = request.settings.cursor.max_per_token
    const newSecret = targets.newSecret()
    const command = request.command('PutCursor', { ...input, name, owner, maxPerOwner, newSecret })
    return request.write(cursorRef(name), command, () => {
      const { cursors } = request.views
      const cursor = cursors.get(name)
      // Of nobody else would the caller ever learn what was made.
      return json(cursor && shownCursor(cursor, cursors.secretOf(name) === newSecret ? newSecret : HIDDEN))
    })
  }

  async #move(request: RequestContext, name: string, given: CursorBody): Promise<RouteResponse> {
    const believed = believedBy(request)
    const index = movedTo(given)
    const cursor = request.views.cursors.get(name)
    if (!cursor) throw absent(name)
    requireCursorOwner(request, cursor)
    this.parts.requests.requireCursorRights(request, cursor)
    checkCursorIndex(index, request.views.index)
    const { positions } = this.parts
    const gone = this.#gone(index)
    if (gone) return gone
    if (!request.isKeyed) return json(await positions.moveFrom(name, believed, index))
    if (!positions.release(name, believed)) return json(false)
    const command = request.command('MoveCursors', { moves: [{ name, index }] })
    return request.write(cursorRef(), command, () => json(true))
  }

  /** What is answered to who would begin with commits that are no longer kept. */
  #gone(index: number | undefined): RouteResponse | undefined {
    return index === undefined ? undefined : cursorNotFound(index, this.parts.log.firstIndex)
  }

  async #shown(cursor: Cursor): Promise<object> {
    const Delivery = this.parts.webhooks.statusOf(cursor.Name)
    return {
      ...shownCursor(cursor),
      ...(Delivery ? { Delivery } : {}),
      ...(await this.parts.lags.of(cursor))
    }
  }

  #answer({ views }: RequestContext, value: unknown, headers?: readonly string[]): RouteResponse {
    return respondImmediately({ index: views.cursors.index, watch: [], answer: json(value, headers) })
  }
}

export const cursorRoutes = (parts: CursorDependencies): readonly Route[] => {
  const endpoints = new CursorEndpoints(parts)
  return [
    bodyRoute({
      ...write,
      method: 'PUT',
      path: '/v1/event/cursor/:name',
      operationId: 'putCursor',
      summary: 'Create a cursor, or change what it is of; with cas, move it',
      query: {
        cas: unsigned64(
          'Only move the cursor to the Index of the body, and only if it stands at this index; answers whether it did when that is on disk, a second later at most'
        )
      },
      body: { schema: bodySchema(cursorDefinition), name: cursorDefinition.name },
      response: Type.Union([cursorAnswer, Type.Boolean({ description: 'With cas: whether it was moved' })]),
      outcomes: {
        404: { description: 'With cas: there is no such cursor' },
        409: { description: 'The token owns as many cursors as it may (cursor.max_per_token)' },
        410: { description: 'The commits behind Index are no longer retained' }
      },
      handle: (request, given) => endpoints.put(request, given)
    }),
    route({
      ...read,
      path: '/v1/event/cursor/:name',
      operationId: 'readCursor',
      summary: 'Read a cursor, and how far its reader is behind',
      past: { resource: request => clusterResource(CURSOR_TOPIC, nameOf(request)) },
      response: cursorAnswer,
      handle: request => endpoints.read(request)
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/event/cursor/:name',
      operationId: 'deleteCursor',
      summary: 'Delete a cursor; streams that read by it end',
      access: anyToken('not the anonymous one; its owner, or operator:write'),
      response: Type.Boolean(),
      handle: request => endpoints.remove(request)
    }),
    route({
      ...read,
      path: '/v1/event/cursors',
      operationId: 'listCursors',
      isPaged: true,
      summary: 'List the cursors',
      access: anyToken('cursors of others are left out without operator:read'),
      response: Type.Array(cursorAnswer),
      handle: request => endpoints.list(request)
    })
  ]
}
