// Who leads: what clients ask first (spec: state.md §9, decisions.md 32).
import * as Type from 'typebox'
import { json, plain } from '../../wire/answer.js'
import { noToken, route, type Route } from '../../wire/route.js'
import { hostPort } from '../../settings/listeners.js'
import type { Settings } from '../../settings/settings.js'

/** Where clients expect a server's own protocol; nothing listens there. */
export const RPC_PORT = 8300
const facts = {
  tag: 'Status',
  method: 'GET',
  access: noToken,
  blocking: false,
  consistency: 'none',
  caching: 'none',
  tenancy: 'none',
  runs: 'here'
} as const

const address = Type.String({ examples: ['127.0.0.1:8300'] })

/** What clients know the server by. */
export const serverAddress = ({ bind }: Settings): string => hostPort(bind, RPC_PORT)

export const statusRoutes: readonly Route[] = [
  route({
    ...facts,
    path: '/',
    operationId: 'readRoot',
    summary: 'What answers here',
    rawResponse: { type: 'text/plain', description: 'The name of the server software', example: 'Annals' },
    handle: () => plain(200, 'Annals')
  }),
  route({
    ...facts,
    path: '/v1/status/leader',
    operationId: 'readLeader',
    summary: 'The address of the leader',
    response: address,
    handle: ({ settings }) => json(serverAddress(settings))
  }),
  route({
    ...facts,
    path: '/v1/status/peers',
    operationId: 'listPeers',
    summary: 'The addresses of all servers',
    response: Type.Array(address),
    handle: ({ settings }) => json([serverAddress(settings)])
  })
]
