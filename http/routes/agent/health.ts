// The health of services of the server's own node, as a status code (spec: state.md §8).
import * as Type from 'typebox'
import { CRITICAL, NODE_MAINTENANCE, PASSING, WARNING } from '../../../events/check.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { CheckRow, ServiceRow } from '../../../projections/catalog/rows.js'
import { byText } from '../../../projections/row-table.js'
import { agentServiceRows } from './node.js'
import { agentHealthCheckObject, agentServiceObject } from './agent-views.js'
import { json, plain, type RouteResponse } from '../../wire/response.js'
import { CatalogScope } from '../catalog/registration-permissions.js'
import type { RequestContext } from '../../wire/request-context.js'
import { agentServiceHealth, noAgentServiceHealth } from '../../schemas/agent-responses.js'
import { anyToken, route, type Route } from '../../wire/route.js'

const MAINTENANCE = 'maintenance'
const WORST_FIRST: readonly string[] = [MAINTENANCE, CRITICAL, WARNING, PASSING]
const CODES: Readonly<Record<string, number>> = {
  [PASSING]: 200,
  [WARNING]: 429,
  [CRITICAL]: 503,
  [MAINTENANCE]: 503
}

const worst = (statuses: readonly string[]): string =>
  WORST_FIRST.find(status => statuses.includes(status)) ?? (statuses.length === 0 ? PASSING : CRITICAL)

/** Returns the checks of the service and its node that were registered with this agent. */
const checksOf = ({ allChecks }: ServiceRow): readonly CheckRow[] =>
  allChecks.filter(({ state }) => state.runner !== undefined)

const statusOf = (row: ServiceRow): string =>
  worst(
    checksOf(row).map(({ state: { check } }) =>
      check.CheckID === NODE_MAINTENANCE || check.CheckID.startsWith('_service_maintenance:')
        ? MAINTENANCE
        : check.Status
    )
  )

const healthOf = (row: ServiceRow, scope: CatalogScope) => ({
  AggregatedStatus: statusOf(row),
  Service: agentServiceObject(row),
  Checks: checksOf(row).map(check => agentHealthCheckObject(check, scope))
})

const scopeOf = (request: RequestContext): CatalogScope =>
  new CatalogScope(request, DEFAULT_TENANCY.partition)

const answer = ({ query }: RequestContext, status: string, code: number, body: unknown): RouteResponse => {
  const headers = ['X-Service-Reason', status]
  if (query.get('format') === 'text') return plain(code, status, headers)
  return { ...json(body, headers), status: code }
}

const facts = {
  tag: 'Agent',
  method: 'GET',
  access: anyToken('service:read on the service'),
  query: { format: '`text` for the status alone' },
  rawResponse: { type: 'text/plain', description: 'With format=text: the status alone', example: 'passing' }
} as const

export const agentHealthRoutes: readonly Route[] = [
  route({
    ...facts,
    path: '/v1/agent/health/service/id/*id',
    operationId: 'readAgentServiceHealth',
    summary: 'The health of a service by its ID: 200 passing, 429 warning, 503 critical',
    response: agentServiceHealth,
    outcomes: {
      404: { description: 'There is no such service', response: noAgentServiceHealth },
      429: { description: 'Warning', response: agentServiceHealth },
      503: { description: 'Critical', response: agentServiceHealth }
    },
    handle: request => {
      request.requireToken()
      const id = request.param('id').toLowerCase()
      const row = agentServiceRows(request).find(({ state }) => state.service.ID.toLowerCase() === id)
      if (!row)
        return answer(request, CRITICAL, 404, { AggregatedStatus: CRITICAL, Service: null, Checks: null })
      request.require('service', 'read', row.name)
      const health = healthOf(row, scopeOf(request))
      return answer(request, health.AggregatedStatus, CODES[health.AggregatedStatus] ?? 503, health)
    }
  }),
  route({
    ...facts,
    path: '/v1/agent/health/service/name/*name',
    operationId: 'listAgentServiceHealth',
    summary: 'The health of all services of a name',
    response: Type.Array(agentServiceHealth),
    outcomes: {
      404: {
        description: 'There is no such service',
        response: Type.Array(agentServiceHealth, { examples: [[]] })
      },
      429: { description: 'The worst is warning', response: Type.Array(agentServiceHealth) },
      503: { description: 'The worst is critical', response: Type.Array(agentServiceHealth) }
    },
    handle: request => {
      const name = request.param('name')
      request.require('service', 'read', name)
      const rows = agentServiceRows(request)
        .filter(
          row => row.name.toLowerCase() === name.toLowerCase() && request.may('service', 'read', row.name)
        )
        .toSorted((a, b) => byText(a.order, b.order))
      if (rows.length === 0) return answer(request, CRITICAL, 404, [])
      const status = worst(rows.map(statusOf))
      const scope = scopeOf(request)
      const health = rows.map(row => healthOf(row, scope))
      return answer(request, status, CODES[status] ?? 503, health)
    }
  })
]
