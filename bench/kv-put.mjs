// Writing keys of some bytes, each again and again, always with another value: the same once more would change nothing.
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
