// Agent reports: changes that the servers of a cluster observe on their own nodes and the leader stores.
import { agentRef } from '../../../actors/agent/agent.js'
import { SERVER } from '../../../actors/aggregate.js'
import type { AgentReportCommand } from '../../../actors/ports.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Cause, Tenancy } from '../../../events/envelope.js'
import { empty, type RouteResponse } from '../../wire/response.js'
import { otherServer } from '../../wire/contact.js'
import type { RequestContext } from '../../wire/request-context.js'
import { bodyRoute, noToken, type Route } from '../../wire/route.js'
import * as Type from 'typebox'
import { strict } from '../../schemas/view.js'

const reportTarget = {
  Partition: Type.String(),
  Namespace: Type.String(),
  /** ID of the check or service. */
  ID: Type.String(),
  /** Index of the causing commit, if it is known. */
  Cause: Type.Optional(Type.Union([Type.Integer(), Type.Array(Type.Integer())]))
}

const example = { Partition: 'default', Namespace: 'default', ID: 'web' }

const checkReport = strict(
  { ...reportTarget, Status: Type.String(), Output: Type.String() },
  { examples: [{ ...example, Status: 'passing', Output: '' }] }
)

/** Reports a service that was critical for too long. */
const serviceReport = strict(reportTarget, { examples: [example] })

export const CHECK_REPORTS_PATH = '/v1/internal/findings/check'
export const SERVICE_REPORTS_PATH = '/v1/internal/findings/service'

const facts = {
  tag: 'Agent',
  method: 'PUT',
  access: noToken,
  tenancy: 'none',
  // A worker must not forward a client's request as a report of this server.
  runs: 'here',
  idempotency: { refused: 'servers repeat their reports' }
} as const

interface Report {
  readonly Partition: string
  readonly Namespace: string
  readonly Cause?: Cause
}

/** Returns the node of the sending server. @throws Refusal `denied` for other callers */
const nodeOf = ({ sender: from, settings }: RequestContext): string => {
  const sender = otherServer(from, settings.node_id)
  if (sender) return sender.node
  throw new Refusal('cluster.denied', 'Only the servers of this cluster may report here')
}

const common = ({ now }: RequestContext, { Partition, Namespace, Cause }: Report) => {
  const tenancy: Tenancy = { partition: Partition, namespace: Namespace }
  return { tenancy, caller: SERVER, at: now, ...(Cause === undefined ? {} : { cause: Cause }) }
}

const store = (request: RequestContext, command: AgentReportCommand): RouteResponse =>
  request.write(agentRef(command.data.node), command, () => empty(200))

export const agentReportRoutes: readonly Route[] = [
  bodyRoute({
    ...facts,
    path: CHECK_REPORTS_PATH,
    operationId: 'tellCheck',
    summary: 'For servers of the cluster: report the status of a check on another server’s node',
    body: { schema: checkReport, name: 'Finding' },
    handle: (request, report) => {
      const { ID: id, Status: status, Output: output } = report
      const data = { node: nodeOf(request), id, status, output }
      return store(request, { ...common(request, report), name: 'UpdateAgentCheck', data })
    }
  }),
  bodyRoute({
    ...facts,
    path: SERVICE_REPORTS_PATH,
    operationId: 'tellService',
    summary: 'For servers of the cluster: report a service that was critical for too long',
    body: { schema: serviceReport, name: 'Finding' },
    handle: (request, report) => {
      const data = { node: nodeOf(request), id: report.ID }
      return store(request, { ...common(request, report), name: 'DeregisterAgentService', data })
    }
  })
]
