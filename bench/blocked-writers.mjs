// The writers' requests in the scenario `blocked-readers`: keys without blocking queries, each with another value.
const KEYS = 500

export const scenario = {
  distinct: 2 * KEYS,
  request: (i, { root }) => ({
    method: 'PUT',
    path: `/v1/kv/other/${i % KEYS}`,
    token: root,
    body: `value ${i}`
  })
}
