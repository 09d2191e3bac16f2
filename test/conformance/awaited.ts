// Recorded cases that need endpoints which do not exist yet, by area. A case that passes must be taken out of here.

export const awaited: Readonly<Record<string, readonly string[]>> = {
  // Translation of rules, queries, transactions, configuration entries, login.
  'acl-bootstrap': [
    'before the bootstrap only the anonymous token exists and nothing is allowed by default',
    'with a default of allow everything but the ACL system is open',
    'with ACLs off the ACL endpoints answer that they are disabled and the rest ignores tokens'
  ]
}
