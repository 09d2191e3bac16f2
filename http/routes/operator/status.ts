// The leader and the peers (spec: state.md §9, decisions.md 32).
import * as Type from 'typebox'
import { json, plain } from '../../wire/response.js'
import { redirectTargetOf } from '../../wire/path-normalization.js'
import type { RequestContext } from '../../wire/request-context.js'
import { noToken, route, type Route } from '../../wire/route.js'
import { hostPort } from '../../../server/settings/listeners.js'
import type { Server, Servers } from './cluster-servers.js'

/** The port of the reference's own protocol, which clients expect. Nothing listens there. */
export const RPC_PORT = 8300

/** The facts of endpoints without a token that the receiving server answers for itself. */
export const OWN_SERVER = { access: noToken, tenancy: 'none', runs: 'here' } as const
const facts = { ...OWN_SERVER, tag: 'Status', method: 'GET' } as const

const address = Type.String({ examples: ['127.0.0.1:8300'] })

/** Returns the address by which clients identify a server. */
export const addressOf = ({ bind }: Pick<Server, 'bind'>): string => hostPort(bind, RPC_PORT)

const acceptsPage = (request: RequestContext): boolean =>
  request.header('accept')?.includes('text/html') ?? false

export const statusRoutes = (servers: Servers): readonly Route[] => [
  route({
    ...facts,
    path: '/',
    operationId: 'readRoot',
    summary: 'Return the name of the server software, or redirect a browser to the web UI',
    rawResponse: { type: 'text/plain', description: 'The name of the server software', example: 'Annals' },
    handle: request =>
      acceptsPage(request) ? { ...redirectTargetOf('GET', '/ui/'), status: 302 } : plain(200, 'Annals')
  }),
  route({
    ...facts,
    path: '/v1/status/leader',
    operationId: 'readLeader',
    summary: 'The address of the leader; empty without a leader',
    response: address,
    handle: () => {
      const leader = servers.leader()
      return json(leader ? addressOf(leader) : '')
    }
  }),
  route({
    ...facts,
    path: '/v1/status/peers',
    operationId: 'listPeers',
    summary: 'The addresses of all servers',
    response: Type.Array(address),
    handle: () => json(servers.list().map(addressOf))
  })
]
