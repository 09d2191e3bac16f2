// Creating tokens: the durable write.
export const scenario = {
  name: 'token-create',
  targets: { 64: 0.35 },
  prepare: async ({ root }) => ({ root }),
  request: (_i, { root }) => ({
    method: 'PUT',
    path: '/v1/acl/token',
    token: root,
    body: { Description: 'made by the benchmark' }
  })
}
