// Recorded cases that need endpoints which do not exist yet, by area. A case that passes must be taken out of here.

export const awaited: Readonly<Record<string, readonly string[]>> = {
  // The agent.
  kv: [
    'ACLs off: a token that is sent does not matter',
    'default policy allow: without a token all of this is allowed; an unknown token is refused'
  ],
  // Operations on nodes.
  'txn-kv': ['an operation with several kinds is taken as KV first'],
  // Transactions.
  'login-jwt': ['a token with a service identity may write that service and its sidecar only']
}
