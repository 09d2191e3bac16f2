// Whether the servers of a cluster reach each other. Asked by servers only.
import { empty, plain } from '../../wire/response.js'
import { noToken, route, type Route } from '../../wire/route.js'
import { requireServer } from './servers-only.js'

export const REACH_PATH = '/v1/internal/reach'

const NOT_REACHED = 502

const facts = {
  path: REACH_PATH,
  tag: 'Operator',
  access: noToken,
  tenancy: 'none',
  runs: 'here'
} as const

/** Probes a member. @returns why it cannot be reached; undefined when it can be */
export type CallBack = (id: string) => Promise<string | undefined>

/** @param callBack that of a process that takes part in the cluster, which alone answers */
export const reachRoutes = (callBack: () => CallBack): readonly Route[] => [
  route({
    ...facts,
    method: 'GET',
    operationId: 'readReach',
    summary: 'For servers of the cluster: proves that this server is reached',
    rawResponse: { type: 'text/plain', description: 'ID of its own node' },
    handle: request => {
      requireServer(request, 'probe it')
      return plain(200, request.settings.node_id)
    }
  }),
  route({
    ...facts,
    method: 'PUT',
    operationId: 'callBack',
    summary: 'For servers of the cluster: this server probes the one that asks, at the address it announced',
    outcomes: { [NOT_REACHED]: { description: 'It is not, and why' } },
    idempotency: { refused: 'it changes nothing that is shown' },
    handle: async request => {
      requireServer(request, 'ask it to call back')
      const fault = await callBack()(request.incoming.sender?.id ?? '')
      return fault === undefined ? empty(200) : plain(NOT_REACHED, fault)
    }
  })
]
