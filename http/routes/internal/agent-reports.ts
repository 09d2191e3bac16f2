// What the servers of a cluster find out of their own nodes, which only the leader can store.
import { agentRef } from '../../../actors/agent/agent.js'
import { SERVER } from '../../../actors/command.js'
import type { AgentReportCommand } from '../../../actors/ports.js'
import { Refusal } from '../../../actors/refusal.js'
import type { Cause, Tenancy } from '../../../events/envelope.js'
import { empty, type RouteResponse } from '../../wire/response.js'
import { otherServer } from '../../wire/contact.js'
import type { RequestContext } from '../../wire/request-context.js'
import { bodyRoute, noToken, type Route } from '../../wire/route.js'
import * as Type from 'typebox'
import { strict } from '../../schemas/strict.js'

/** What the servers of a cluster tell its leader of their own nodes. */
const reportTarget = {
  Partition: Type.String(),
  Namespace: Type.String(),
  /** Of the check, or of the service. */
  ID: Type.String(),
  /** Index of what it follows from, where that is known. */
  Cause: Type.Optional(Type.Union([Type.Integer(), Type.Array(Type.Integer())]))
}

const example = { Partition: 'default', Namespace: 'default', ID: 'web' }

const checkReport = strict(
  { ...reportTarget, Status: Type.String(), Output: Type.String() },
  { examples: [{ ...example, Status: 'passing', Output: '' }] }
)

/** Of a service that was critical for too long. */
const serviceReport = strict(reportTarget, { examples: [example] })

export const CHECK_REPORTS_PATH = '/v1/internal/findings/check'
export const SERVICE_REPORTS_PATH = '/v1/internal/findings/service'

const facts = {
  tag: 'Agent',
  method: 'PUT',
  access: noToken,
  tenancy: 'none',
  // Sent on for a client it would pass for what a server has found.
  runs: 'here',
  idempotency: { refused: 'servers tell anew what they find' }
} as const

interface Found {
  readonly Partition: string
  readonly Namespace: string
  readonly Cause?: Cause
}

/** The node of the server that tells. @throws Refusal `denied` to all others */
const nodeOf = ({ incoming, settings }: RequestContext): string => {
  const sender = otherServer(incoming.sender, settings.node_id)
  if (sender) return sender.node
  throw new Refusal('denied', 'Only the servers of this cluster tell here what they find')
}

const common = ({ now }: RequestContext, { Partition, Namespace, Cause }: Found) => {
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
    summary: 'What a check of another server’s node has found; for servers of the cluster',
    body: { schema: checkReport, name: 'Finding' },
    handle: (request, found) => {
      const { ID: id, Status: status, Output: output } = found
      const data = { node: nodeOf(request), id, status, output }
      return store(request, { ...common(request, found), name: 'UpdateAgentCheck', data })
    }
  }),
  bodyRoute({
    ...facts,
    path: SERVICE_REPORTS_PATH,
    operationId: 'tellService',
    summary: 'A service of another server’s node that was critical for too long; for servers of the cluster',
    body: { schema: serviceReport, name: 'Finding' },
    handle: (request, found) => {
      const data = { node: nodeOf(request), id: found.ID }
      return store(request, { ...common(request, found), name: 'DeregisterAgentService', data })
    }
  })
]
