// Changes the configuration and the tokens of the agent while it runs (spec: state.md §8, queries.md §8).
import { invalid, Refusal } from '../../../actors/refusal.js'
import { AGENT_TOKENS, type AgentTokens } from '../../../server/settings/agent-tokens.js'
import type { Reload } from '../../../server/settings/reload.js'
import { SettingsError } from '../../../server/settings/settings.js'
import { agentTokenBody } from '../../schemas/agent.js'
import { empty } from '../../wire/response.js'
import { bodyRoute, requires, route, type Route } from '../../wire/route.js'

const facts = {
  tag: 'Agent',
  method: 'PUT',
  access: requires('agent:write', 'on the name of the server'),
  tenancy: 'none',
  runs: 'here'
} as const

const isKnown = (name: string): name is keyof typeof AGENT_TOKENS => Object.hasOwn(AGENT_TOKENS, name)

export const agentSettingRoutes = (reload: Reload, agentTokens: AgentTokens): readonly Route[] => [
  route({
    ...facts,
    path: '/v1/agent/reload',
    operationId: 'reloadAgent',
    summary: 'Reread the configuration; one that cannot be used is refused and changes nothing',
    handle: async request => {
      request.require('agent', 'write', request.settings.node_name)
      try {
        await reload.run()
      } catch (error) {
        throw error instanceof SettingsError
          ? invalid('agent.invalid', `Bad configuration: ${error.message}`)
          : error
      }
      return empty(200)
    }
  }),
  bodyRoute({
    ...facts,
    path: '/v1/agent/token/:target',
    operationId: 'setAgentToken',
    summary:
      'Set a token of the agent, until the server ends; `default` stands in for requests and DNS questions without one',
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
