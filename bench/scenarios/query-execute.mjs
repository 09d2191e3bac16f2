// Executing a prepared query whose service has ten instances, with the management token.
const INSTANCES = 10

export const scenario = {
  name: 'query-execute',
  targets: { 64: 0.65 },
  distinct: 1,
  prepare: async ({ root, call }) => {
    for (let i = 0; i < INSTANCES; i++)
      await call('PUT', '/v1/catalog/register', {
        Node: `node-${i}`,
        Address: `10.0.0.${i}`,
        Service: { Service: 'web', Port: 8000 + i, Tags: ['primary'] },
        Check: { Node: `node-${i}`, CheckID: 'web', Name: 'web', ServiceID: 'web', Status: 'passing' }
      })
    await call('POST', '/v1/query', { Name: 'web', Service: { Service: 'web', Tags: ['primary'] } })
    return { root }
  },
  request: (_i, { root }) => ({ method: 'GET', path: '/v1/query/web/execute', token: root })
}
