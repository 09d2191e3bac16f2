// A tenant that reads keys of its namespace.
export const scenario = {
  name: 'namespace-reads',
  distinct: 100,
  request: (i, { token }) => ({ method: 'GET', path: `/v1/kv/app/${i}?ns=other`, token })
}
