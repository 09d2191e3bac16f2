// Reading single keys with the management token.
const KEYS = 1000

export const scenario = {
  name: 'kv-get',
  targets: { 64: 0.8 },
  distinct: KEYS,
  prepare: async ({ root, call }) => {
    for (let i = 0; i < KEYS; i++) await call('PUT', `/v1/kv/bench/${i}`, { value: `of key ${i}` })
    return { root }
  },
  request: (i, { root }) => ({ method: 'GET', path: `/v1/kv/bench/${i}`, token: root })
}
