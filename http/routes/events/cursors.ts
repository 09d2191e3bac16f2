// Named cursors of the event stream (docs/reference/cursors.md).
import * as Type from 'typebox'
import { cursorRef } from '../../../actors/cursor.js'
import { checkCursorIndex, checkCursorName } from '../../../actors/cursor-rules.js'
import { noCursor, type CursorPositions } from '../../../actors/processes/cursor-positions.js'
import { invalid } from '../../../actors/refusal.js'
import { CURSOR_TOPIC, type Cursor, cursorDefinition } from '../../../events/cursor.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { LogReader } from '../../../events/log/log.js'
import type { RequestBodyOf } from '../../../events/definition/types.js'
import { HIDDEN } from '../../../events/values.js'
import { resourceViewsOf } from '../../../projections/definition/resource-views.js'
import { responseSchema, bodySchema } from '../../schemas/definition-schemas.js'
import {
  accessorOf,
  cursorNotFound,
  canReadCursor,
  ownedCursor,
  requireCursorOwner,
  requireCursorRead,
  requireIdentified
} from '../../stream/cursor-access.js'
import type { CursorLags } from '../../stream/cursor-lags.js'
import type { SubscriptionRequests } from '../../stream/subscription-requests.js'
import { unsigned64 } from '../../wire/query.js'
import { json, type RouteResponse } from '../../wire/response.js'
import { inputsOf, anyToken, bodyRoute, route, type Route } from '../../wire/route.js'
import type { WebhookTargets, Webhooks } from '../../webhooks/webhooks.js'
import { respondImmediately } from '../../wire/reads/blocking.js'
import { readableRows } from '../../wire/reads/page.js'
import { clusterResource } from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { requireSame } from '../crud.js'

const facts = { tag: 'Events', tenancy: 'none', refusesUnknown: true } as const
const read = {
  ...facts,
  method: 'GET',
  access: anyToken('its owner, or operator:read'),
  consistency: 'consistent',
  // Only the leader knows uncommitted moves and the state of webhooks.
  runs: 'leader'
} as const
const write = {
  ...facts,
  access: anyToken(
    'not the anonymous one; its owner, or operator:write; the permissions of a stream of its topics, and read on something; and operator:write for a URL'
  )
} as const

type CursorBody = RequestBodyOf<typeof cursorDefinition.fields>
const inputOf = inputsOf(cursorDefinition)
const viewOf = resourceViewsOf(cursorDefinition)
const cursorAnswer = responseSchema(cursorDefinition)

const INDEX = /^\d{1,15}$/

/** @throws Refusal `invalid` */
const nameOf = (request: RequestContext): string => {
  const name = request.param('name')
  checkCursorName(name)
  return name
}

/** @throws Refusal `invalid` */
const expectedIndexOf = ({ query }: RequestContext): number => {
  const text = query.get('cas') ?? ''
  if (!INDEX.test(text))
    throw invalid(
      'cursor.invalid',
      `Invalid cas: ${JSON.stringify(text.slice(0, 200))} must be the index that the cursor stands at`
    )
  return Number(text)
}

/** Returns the target of a body that only moves a cursor. @throws Refusal `invalid` */
const targetIndexOf = (body: CursorBody): number => {
  const other = Object.keys(body).find(field => field !== 'Index')
  if (other !== undefined)
    throw invalid('cursor.invalid', `Bad request: with cas a body says Index alone, and not ${other}`)
  if (body.Index === undefined)
    throw invalid('cursor.invalid', 'Bad request: Index is missing: where the cursor is to stand')
  return body.Index
}

interface CursorDependencies {
  readonly log: LogReader
  readonly positions: CursorPositions
  readonly requests: SubscriptionRequests
  readonly lags: CursorLags
  readonly targets: WebhookTargets
  readonly webhooks: Webhooks
}

/** @param secret of the webhook's signatures */
const cursorView = (cursor: Cursor, secret = HIDDEN): object =>
  viewOf(cursor, DEFAULT_TENANCY, cursor.URL === undefined ? {} : { secret })

class CursorEndpoints {
  constructor(private readonly dependencies: CursorDependencies) {}

  /** @throws Refusal */
  async put(request: RequestContext, body: CursorBody): Promise<RouteResponse> {
    const name = nameOf(request)
    requireIdentified(request)
    return request.query.has('cas') ? this.#move(request, name, body) : this.#define(request, name, body)
  }

  /** @throws Refusal */
  async read(request: RequestContext): Promise<RouteResponse> {
    const name = nameOf(request)
    request.requireToken()
    const cursor = request.views.cursors.get(name)
    if (!cursor) throw noCursor(name)
    requireCursorRead(request, cursor)
    return this.#answer(request, await this.#view(cursor))
  }

  /** @throws Refusal */
  async list(request: RequestContext): Promise<RouteResponse> {
    const { cursors } = request.views
    this.dependencies.lags.keepOnly(cursors)
    const { entries, headers } = readableRows(request, {
      parts: [{ name: '', behind: after => cursors.behind(after) }],
      keyOf: cursor => cursor.Name,
      may: cursor => canReadCursor(request, cursor)
    })
    const rows: object[] = []
    for (const cursor of entries) rows.push(await this.#view(cursor))
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

  async #define(request: RequestContext, name: string, body: CursorBody): Promise<RouteResponse> {
    const { targets, requests } = this.dependencies
    requireSame(cursorDefinition, 'Name', body.Name, name)
    const input = inputOf(body)
    if (input.URL !== '') await targets.check(request, input.URL)
    const before = request.views.cursors.get(name)
    if (before) requireCursorOwner(request, before)
    requests.requireCursorRights(request, input)
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
      // Only the caller that set the secret sees it.
      return json(cursor && cursorView(cursor, cursors.secretOf(name) === newSecret ? newSecret : HIDDEN))
    })
  }

  async #move(request: RequestContext, name: string, body: CursorBody): Promise<RouteResponse> {
    const { positions, requests } = this.dependencies
    const expected = expectedIndexOf(request)
    const index = targetIndexOf(body)
    const cursor = ownedCursor(request, name, 'cursor.not-found')
    requests.requireCursorRights(request, cursor)
    if (cursor.Group)
      throw invalid(
        'cursor.invalid',
        'Invalid cas: the acknowledgements of its group move the cursor. Put Index without cas to set it'
      )
    checkCursorIndex(index, request.views.index)
    const gone = this.#gone(index)
    if (gone) return gone
    if (!request.isKeyed) return json(await positions.moveFrom(name, expected, index))
    if (!positions.release(name, expected)) return json(false)
    const command = request.command('MoveCursors', { moves: [{ name, index }] })
    return request.write(cursorRef(), command, () => json(true))
  }

  /** Returns a 410 response if the cursor's next commits were pruned. */
  #gone(index: number | undefined): RouteResponse | undefined {
    return index === undefined ? undefined : cursorNotFound(index, this.dependencies.log.firstIndex)
  }

  async #view(cursor: Cursor): Promise<object> {
    const { webhooks, lags } = this.dependencies
    const Delivery = webhooks.statusOf(cursor.Name)
    return { ...cursorView(cursor), ...(Delivery ? { Delivery } : {}), ...(await lags.of(cursor)) }
  }

  #answer({ views }: RequestContext, value: unknown, headers?: readonly string[]): RouteResponse {
    return respondImmediately({ index: views.cursors.index, answer: json(value, headers) })
  }
}

export const cursorRoutes = (dependencies: CursorDependencies): readonly Route[] => {
  const endpoints = new CursorEndpoints(dependencies)
  return [
    bodyRoute({
      ...write,
      method: 'PUT',
      path: '/v1/event/cursor/:name',
      operationId: 'putCursor',
      summary: 'Create or replace a cursor; with cas, move it',
      query: {
        cas: unsigned64(
          'Move the cursor to the Index of the body only if it stands at this index; returns the result when it is durable, within a second'
        )
      },
      body: { schema: bodySchema(cursorDefinition), name: cursorDefinition.name },
      response: Type.Union([
        cursorAnswer,
        Type.Boolean({ description: 'With cas: whether the cursor moved' })
      ]),
      outcomes: {
        404: { description: 'With cas: the cursor does not exist' },
        409: { description: 'The token owns the maximum number of cursors (cursor.max_per_token)' },
        410: { description: 'The commits after Index are no longer retained' }
      },
      handle: (request, body) => endpoints.put(request, body)
    }),
    route({
      ...read,
      path: '/v1/event/cursor/:name',
      operationId: 'readCursor',
      summary: 'Read a cursor and its lag',
      past: { resource: request => clusterResource(CURSOR_TOPIC, nameOf(request)) },
      response: cursorAnswer,
      handle: request => endpoints.read(request)
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/event/cursor/:name',
      operationId: 'deleteCursor',
      summary: 'Delete a cursor and end the streams that use it',
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
