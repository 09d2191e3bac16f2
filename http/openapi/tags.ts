// The groups of operations, in the order of the documentation.

export const TAGS = {
  'ACL system': 'Bootstrapping, replication, and questions about what a token may do',
  'ACL tokens': 'Tokens: what callers show to be let in',
  'ACL policies': 'Policies: named rules that tokens and roles link',
  'ACL auth methods': 'Auth methods: who vouches for those that log in',
  'ACL binding rules': 'Binding rules: what a login gives',
  'ACL login': 'Logging in and out',
  'ACL roles': 'Roles: named sets of policies and identities',
  Namespaces: 'Namespaces: tenants inside an admin partition',
  'Admin partitions': 'Admin partitions: tenants that share nothing',
  'Configuration entries': 'Configuration of services, proxies, gateways and the mesh',
  'ACL rules': 'Texts of rules, and why they decide as they do',
  'Prepared queries': 'Queries for healthy instances, stored under a name',
  KV: 'Keys and values',
  Sessions: 'Sessions: what holds locks on keys',
  'Discovery chain': 'What the configuration makes of a service: routes, splits, failover',
  Intentions: 'Intentions: which services may connect to which',
  Transactions: 'Several operations at once, or none of them',
  'Change sets': 'Declared resources of any kinds, changed in one commit',
  Events: 'The stream of all events, and events that users fire',
  Catalog: 'Nodes, services and checks, as they are registered',
  Health: 'Checks, and the instances that pass them',
  Coordinates: 'Network coordinates, from which distances are estimated',
  Agent: 'The server as an agent: its own services, checks, tokens and log',
  Snapshot: 'The whole state, saved and restored',
  Operator: 'The servers of the cluster',
  Status: 'Who leads, and this description'
} as const

export type Tag = keyof typeof TAGS
