// What the writers of the scenario `blocked-readers` send: keys that nobody waits for, each time with another value.
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
