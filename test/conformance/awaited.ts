// Recorded cases that need endpoints which do not exist yet, by area. A case that passes must be taken out of here.

export const awaited: Readonly<Record<string, readonly string[]>> = {
  // Roles, translation of rules, replication status, queries, transactions, configuration entries, login.
  'acl-bootstrap': [
    'before the bootstrap only the anonymous token exists and nothing is allowed by default',
    'with a default of allow everything but the ACL system is open',
    'with ACLs off the ACL endpoints answer that they are disabled and the rest ignores tokens',
    'the state of replication in the datacenter that owns the ACLs'
  ],
  // Roles.
  'acl-policies': [
    'a renamed policy shows its new name in tokens and roles',
    'a deleted policy disappears from the tokens and roles linked to it',
    'a token whose only policy was deleted keeps working without rights'
  ],
  'acl-tokens': [
    'a token with every kind of link is shown the same at creation, by accessor, by secret and in a list',
    'role links by name and by ID are resolved to both and repeated ones dropped',
    'a filter finds tokens by their own links, not by those of their roles'
  ]
}
