// Rereads the configuration of the server, as SIGHUP does (spec: state.md §8).
import { invalid } from '../../../actors/refusal.js'
import { empty } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import type { Reload } from '../../../server/settings/reload.js'
import { SettingsError } from '../../../server/settings/settings.js'

export const agentReloadRoutes = (reload: Reload): readonly Route[] => [
  route({
    tag: 'Agent',
    method: 'PUT',
    path: '/v1/agent/reload',
    operationId: 'reloadAgent',
    summary: 'Reread the configuration; one that cannot be used is refused and changes nothing',
    access: requires('agent:write', 'on the name of the server'),
    tenancy: 'none',
    runs: 'here',
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
  })
]
