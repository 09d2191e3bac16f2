// What a tenant does all the time: reads and writes keys of its own namespace.
const KEYS = 1000

export const scenario = {
  name: 'namespace-load',
  distinct: KEYS,
  request: (i, { token }) => {
    const path = `/v1/kv/app/${i % 100}?ns=other`
    return i % 4 === 0 ? { method: 'PUT', path, token, body: { at: i } } : { method: 'GET', path, token }
  }
}
