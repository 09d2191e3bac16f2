// A tenant that only reads keys of its own namespace.
export const scenario = {
  name: 'namespace-reads',
  distinct: 100,
  request: (i, { token }) => ({ method: 'GET', path: `/v1/kv/app/${i}?ns=other`, token })
}
