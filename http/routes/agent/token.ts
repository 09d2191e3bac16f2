// Changes the tokens of the agent while it runs (spec: state.md §8, queries.md §8).
import { Refusal } from '../../../actors/refusal.js'
import { AGENT_TOKENS, type AgentTokens } from '../../../server/settings/agent-tokens.js'
import { empty } from '../../wire/response.js'
import { bodyRoute, requires, type Route } from '../../wire/route.js'
import { agentTokenBody } from '../../schemas/agent.js'

const isKnown = (name: string): name is keyof typeof AGENT_TOKENS => Object.hasOwn(AGENT_TOKENS, name)

export const agentTokenRoutes = (agentTokens: AgentTokens): readonly Route[] => [
  bodyRoute({
    tag: 'Agent',
    method: 'PUT',
    path: '/v1/agent/token/:target',
    operationId: 'setAgentToken',
    summary:
      'Set a token of the agent, until the server ends; `default` stands in for requests and DNS questions without one',
    access: requires('agent:write', 'on the name of the server'),
    tenancy: 'none',
    runs: 'here',
    body: { schema: agentTokenBody, name: 'Token' },
    handle: (request, { Token = '' }) => {
      request.require('agent', 'write', request.settings.node_name)
      const target = request.param('target')
      if (!isKnown(target))
        throw new Refusal(
          'agent.not-found',
          `Token "${target}" is unknown: the tokens are ${Object.keys(AGENT_TOKENS).join(', ')}`
        )
      agentTokens.use(AGENT_TOKENS[target], Token)
      return empty(200)
    }
  })
]
