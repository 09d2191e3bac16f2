// Checks of the server's own node (spec: state.md §8).
import type { CheckRunners } from '../../../actors/processes/check-runners.js'
import { invalid } from '../../../actors/refusal.js'
import { CRITICAL, PASSING, WARNING } from '../../../events/check.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import type { CheckRow } from '../../../projections/catalog/rows.js'
import { checkFields } from '../../../projections/catalog/json.js'
import { agentCheck } from './inputs.js'
import {
  agentCheckRows,
  agentTenancy,
  hasNoCheck,
  writableCheck,
  requireAliased,
  writeAgent
} from './node.js'
import { answerById, agentCheckObject } from './agent-views.js'
import { empty, type RouteResponse } from '../../wire/response.js'
import { select } from '../catalog/reading.js'
import { CatalogScope, requireCheck } from '../catalog/registration-permissions.js'
import { unorderedPart } from '../../wire/reads/page.js'
import { nodeTenancy } from '../../../projections/tenancy-view.js'
import type { RequestContext } from '../../wire/request-context.js'
import { anyToken, bodyRoute, requires, route, type Route } from '../../wire/route.js'
import { checkUpdateBody, agentCheckBody } from '../../schemas/agent.js'
import { agentChecksById } from '../../schemas/agent-responses.js'

const facts = { tag: 'Agent' } as const
const write = {
  ...facts,
  method: 'PUT',
  access: anyToken('service:write on the service of the check, or node:write for a check of the node')
} as const

/**
 * Stores the status of a TTL check and restarts its TTL.
 * @throws Refusal `invalid` for a check that the server runs itself
 */
const update = async (
  request: RequestContext,
  checkRunners: CheckRunners,
  status: string,
  output: string
): Promise<RouteResponse> => {
  request.requireToken()
  const { check, partition, namespace, runner } = writableCheck(request, request.param('id'))
  if (runner?.TTL === undefined)
    throw invalid('agent.invalid', `CheckID "${check.CheckID}" does not have associated TTL`)
  const data = { node: check.Node, id: check.CheckID, status, output }
  const command = request.command('UpdateAgentCheck', data, agentTenancy(request))
  const answer = writeAgent(request, command)
  await request.committer.durable()
  // The TTL of a check on another server's node runs there.
  if (check.Node === request.settings.node_name) checkRunners.renew({ partition, namespace }, check.CheckID)
  return answer
}

/** Restarts the TTL of a check whose status the leader has stored. */
const renewed =
  (checkRunners: CheckRunners) =>
  (request: RequestContext): void =>
    checkRunners.renew(agentTenancy(request), request.param('id'))

const statusRoute = (checkRunners: CheckRunners, word: string, status: string): Route =>
  route({
    ...write,
    path: `/v1/agent/check/${word}/*id`,
    operationId: `${word}Check`,
    summary: `Tell that a check is ${status}`,
    query: { note: 'Becomes the output of the check' },
    handle: request => update(request, checkRunners, status, request.query.get('note') ?? ''),
    afterLeader: renewed(checkRunners)
  })

const requireNewCheck = (request: RequestContext, service: string, id: string): void => {
  const { views } = request
  const tenancy = agentTenancy(request)
  const nodes = nodeTenancy(tenancy)
  const before = views.catalog.check(service === '' ? nodes : tenancy, request.agentNode, id)
  if (before) requireCheck(request, before)
  if (service === '') {
    request.require('node', 'write', request.agentNode, nodes)
    return
  }
  const stored = views.catalog.service(tenancy, request.agentNode, service)
  if (!stored) throw invalid('agent.invalid', `ServiceID "${service}" does not exist`)
  request.require('service', 'write', stored.service.Service, tenancy)
}

const idOf = ({ state }: CheckRow): string => state.check.CheckID

const checkListRoute: Route = route({
  ...facts,
  method: 'GET',
  access: anyToken('checks without node:read or service:read are left out; output needs node:read'),
  path: '/v1/agent/checks',
  operationId: 'listAgentChecks',
  isPaged: true,
  summary: 'The checks that were registered with this agent, by ID',
  query: { filter: 'A filter expression' },
  response: agentChecksById,
  handle: request => {
    const scope = new CatalogScope(request, DEFAULT_TENANCY.partition)
    const all = agentCheckRows(request)
    const selected = select(request, {
      sortsBy: row => row.key,
      parts: [unorderedPart(all)],
      keyOf: idOf,
      fields: checkFields,
      object: row => agentCheckObject(row, scope),
      may: ({ state }) =>
        state.check.ServiceID === ''
          ? scope.node(state.check.Node)
          : scope.service(state, state.check.ServiceName)
    })
    return answerById(request, selected, row => [idOf(row), agentCheckObject(row, scope)])
  }
})

export const agentCheckRoutes = (checkRunners: CheckRunners): readonly Route[] => [
  checkListRoute,
  bodyRoute({
    ...write,
    access: requires('node:write', 'or service:write on the service of the check'),
    path: '/v1/agent/check/register',
    operationId: 'registerCheck',
    summary: 'Register a check',
    body: { schema: agentCheckBody, name: 'Check', takesSnakeCase: true },
    handle: (request, input) => {
      requireNewCheck(request, input.ServiceID ?? '', input.ID || (input.Name ?? ''))
      const data = agentCheck(input, request.agentNode)
      requireAliased(request, data)
      const command = request.command('RegisterAgentCheck', data, agentTenancy(request))
      return writeAgent(request, command)
    }
  }),
  route({
    ...write,
    path: '/v1/agent/check/deregister/*id',
    operationId: 'deregisterCheck',
    summary: 'Remove a check',
    handle: request => {
      request.requireToken()
      const id = request.param('id')
      if (hasNoCheck(request, id)) return empty(200)
      const { check } = writableCheck(request, id)
      const data = { node: check.Node, id: check.CheckID }
      const command = request.command('DeregisterAgentCheck', data, agentTenancy(request))
      return writeAgent(request, command)
    }
  }),
  statusRoute(checkRunners, 'pass', PASSING),
  statusRoute(checkRunners, 'warn', WARNING),
  statusRoute(checkRunners, 'fail', CRITICAL),
  bodyRoute({
    ...write,
    path: '/v1/agent/check/update/*id',
    operationId: 'updateCheck',
    summary: 'Tell the status and output of a check',
    body: { schema: checkUpdateBody, name: 'Check update', takesSnakeCase: true },
    handle: (request, input) => {
      request.requireToken()
      const { Status = '', Output = '' } = input
      if (![PASSING, WARNING, CRITICAL].includes(Status))
        throw invalid('agent.invalid', `Invalid check status: '${Status}'`)
      return update(request, checkRunners, Status, Output)
    },
    afterLeader: renewed(checkRunners)
  })
]
