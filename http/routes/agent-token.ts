// Changes the tokens of the agent while it runs (spec: state.md §8, queries.md §8).
import { Refusal } from '../../actors/refusal.js'
import { empty } from '../answer.js'
import { bodyRoute, needs, type Route } from '../route.js'
import { strict, text } from '../schemas/strict.js'

/** The present name, and the one of former releases. */
const FALLBACK_NAMES: readonly string[] = ['default', 'acl_token']

export const agentTokenRoutes: readonly Route[] = [
  bodyRoute({
    tag: 'Agent',
    method: 'PUT',
    path: '/v1/agent/token/:target',
    summary: 'Set the token that stands in for requests and DNS questions without one, until the server ends',
    access: needs('agent:write', 'on the name of the server'),
    blocking: false,
    consistency: 'none',
    caching: 'none',
    tenancy: 'none',
    body: { schema: strict({ Token: text('Secret of the token; empty takes it away') }), name: 'Token' },
    handle: (request, { Token = '' }) => {
      const { settings, agentTokens } = request.app
      request.require('agent', 'write', settings.node_name)
      const target = request.param('target')
      if (!FALLBACK_NAMES.includes(target))
        throw new Refusal('missing', `Token "${target}" is unknown: this server uses only "default"`)
      agentTokens.useFallback(Token)
      return empty(200)
    }
  })
]
