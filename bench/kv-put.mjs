// Repeated writes of keys, each with another value, since an equal value would change nothing.
const KEYS = 1000
const VALUES = 10

export const scenario = {
  distinct: KEYS * VALUES,
  request: (i, { root, prefix }) => ({
    method: 'PUT',
    path: `/v1/kv/${prefix}/${i % KEYS}`,
    token: root,
    body: { value: `number ${i}` }
  })
}
