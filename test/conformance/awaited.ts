// Recorded cases that need endpoints which do not exist yet, by area. A case that passes must be taken out of here.

export const awaited: Readonly<Record<string, readonly string[]>> = {
  // Translation of rules, queries, transactions, configuration entries, login.
  'acl-bootstrap': [
    'before the bootstrap only the anonymous token exists and nothing is allowed by default',
    'with a default of allow everything but the ACL system is open',
    'with ACLs off the ACL endpoints answer that they are disabled and the rest ignores tokens'
  ],
  // Transactions, the catalog, the agent.
  kv: [
    'ACLs off: a token that is sent does not matter',
    'default policy allow: without a token all of this is allowed; an unknown token is refused'
  ],
  // The catalog.
  sessions: [
    'node: must exist, any case, not empty',
    'old field Checks',
    'sessions of a node; unknown node: empty; none given: 400',
    'a session ends with its node',
    'a session ends when a check of it turns critical, not when it warns',
    'a session ends when a check of it, or the service of the check, is deregistered',
    'permission: session write on the node to create, destroy and renew; session read to see'
  ],
  // Transactions.
  'login-jwt': ['a token with a service identity may write that service and its sidecar only']
}
