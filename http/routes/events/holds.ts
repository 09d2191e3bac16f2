// Legal holds (docs/how-to/legal-hold.md).
import * as Type from 'typebox'
import { checkHoldName, holdNotFound, holdRef } from '../../../actors/legal-hold.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { LEGAL_HOLD_TOPIC, type LegalHold, legalHoldDefinition } from '../../../events/legal-hold.js'
import { resourceViewsOf } from '../../../projections/definition/resource-views.js'
import { bodySchema, responseSchema } from '../../schemas/definition-schemas.js'
import { inputsOf, bodyRoute, requires, route, type Route } from '../../wire/route.js'
import { clusterResource, historyOfList, historyOfResource } from '../../wire/history-declaration.js'
import { respondToRead } from '../../wire/reads/blocking.js'
import type { RequestContext } from '../../wire/request-context.js'
import { json, type RouteResponse } from '../../wire/response.js'
import { requireSame } from '../crud.js'

const PATH = '/v1/event/hold/:name'
const facts = { tag: 'Events', tenancy: 'none', refusesUnknown: true } as const
const read = {
  ...facts,
  method: 'GET',
  access: requires('operator:read'),
  blocking: true,
  consistency: 'consistent'
} as const
const write = { ...facts, access: requires('operator:write') } as const

const inputOf = inputsOf(legalHoldDefinition)
const viewOf = resourceViewsOf(legalHoldDefinition)
const holdAnswer = responseSchema(legalHoldDefinition)
const shown = (hold: LegalHold): object => viewOf(hold, DEFAULT_TENANCY)

/** @throws Refusal `invalid` */
const nameOf = (request: RequestContext): string => {
  const name = request.param('name')
  checkHoldName(name)
  return name
}

const lift = (request: RequestContext): RouteResponse => {
  request.require('operator', 'write')
  const name = nameOf(request)
  return request.write(holdRef(name), request.command('LiftHold', { name }), () => json(true))
}

export const holdRoutes: readonly Route[] = [
  bodyRoute({
    ...write,
    method: 'PUT',
    path: PATH,
    operationId: 'placeLegalHold',
    summary: 'Place a legal hold, or change its scope; X-Service-Reason is required',
    body: { schema: bodySchema(legalHoldDefinition), name: 'LegalHold' },
    response: holdAnswer,
    handle: (request, body) => {
      request.require('operator', 'write')
      const name = nameOf(request)
      requireSame(legalHoldDefinition, 'Name', body.Name, name)
      const command = request.command('PlaceHold', { ...inputOf(body), name })
      return request.write(holdRef(name), command, () => {
        const row = request.views.legalHolds.get(name)
        return json(row && shown(row.hold))
      })
    }
  }),
  route({
    ...read,
    path: PATH,
    operationId: 'readLegalHold',
    summary: 'Read a legal hold',
    past: historyOfResource(request => clusterResource(LEGAL_HOLD_TOPIC, nameOf(request))),
    response: holdAnswer,
    handle: request =>
      respondToRead(request, () => {
        request.require('operator', 'read')
        const { legalHolds } = request.views
        const row = legalHolds.get(nameOf(request))
        if (!row) throw holdNotFound(nameOf(request))
        return { index: legalHolds.index, watch: ['legal-holds'], answer: json(shown(row.hold)) }
      })
  }),
  route({
    ...write,
    method: 'DELETE',
    path: PATH,
    operationId: 'liftLegalHold',
    summary: 'Lift a legal hold; X-Service-Reason is required',
    response: Type.Boolean(),
    outcomes: { 404: { description: 'The legal hold does not exist' } },
    handle: lift
  }),
  route({
    ...read,
    path: '/v1/event/holds',
    operationId: 'listLegalHolds',
    summary: 'List the legal holds',
    past: historyOfList([LEGAL_HOLD_TOPIC], 'cluster'),
    response: Type.Array(holdAnswer),
    handle: request =>
      respondToRead(request, () => {
        request.require('operator', 'read')
        const { legalHolds } = request.views
        const holds = legalHolds.list().map(({ hold }) => shown(hold))
        return { index: legalHolds.index, watch: ['legal-holds'], answer: json(holds) }
      })
  })
]
