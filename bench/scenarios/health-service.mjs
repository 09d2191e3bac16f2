// Looking up the health of a service with 100 instances, each on its own node with two checks.
import { send } from '../../dist/test/support/client.js'

const INSTANCES = 100

const registration = i => ({
  Node: `node-${i}`,
  Address: `10.0.0.${i}`,
  NodeMeta: { rack: `r${i % 4}` },
  Service: { Service: 'web', Tags: ['v1', 'primary'], Port: 8080, Meta: { version: '1.2.3' } },
  Checks: [
    { CheckID: 'serfHealth', Name: 'Serf Health Status', Status: 'passing', Output: 'Agent alive' },
    { CheckID: 'web', Name: 'web alive', Status: 'passing', ServiceID: 'web', Output: 'HTTP GET: 200 OK' }
  ]
})

export const scenario = {
  name: 'health-service',
  targets: { 64: 0.15 },
  distinct: 1,
  prepare: async ({ base, root }) => {
    for (let i = 0; i < INSTANCES; i++) {
      const { status, text } = await send(base, 'PUT', '/v1/catalog/register', {
        token: root,
        body: registration(i)
      })
      if (status !== 200) throw new Error(text)
    }
    return { root }
  },
  request: (_, { root }) => ({ method: 'GET', path: '/v1/health/service/web', token: root })
}
