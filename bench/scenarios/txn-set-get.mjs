// Transactions that set and get a key: a durable commit each.
const KEYS = 500

export const scenario = {
  name: 'txn-set-get',
  targets: { 64: 0.4 },
  distinct: 2 * KEYS,
  prepare: async ({ root }) => ({ root }),
  request: (i, { root }) => {
    const Key = `bench/${i % KEYS}`
    const Value = Buffer.from(`value ${String(i).padStart(4, '0')}`).toString('base64')
    return {
      method: 'PUT',
      path: '/v1/txn',
      token: root,
      body: [{ KV: { Verb: 'set', Key, Value } }, { KV: { Verb: 'get', Key } }]
    }
  }
}
