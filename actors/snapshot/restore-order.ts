import type { Kind } from '../aggregates.js'

type Topic = Kind | 'Service' | 'Check'

/** Topics of this log alone, which are no part of an archive's state. */
export const LOG_TOPICS: ReadonlySet<string> = new Set<Topic>([
  'Snapshot',
  'Log',
  'Replication',
  'KeptAnswer',
  'Erasure'
])

/** Topics before those that refer to them. */
export const CREATION_ORDER: readonly Topic[] = [
  'Cluster',
  'Partition',
  'Namespace',
  'ACLPolicy',
  'ACLPolicyProposal',
  'ACLRole',
  'ACLAuthMethod',
  'ACLBindingRule',
  'ACLToken',
  'Operator',
  'OIDCRequest',
  'Node',
  'Service',
  'Check',
  'Coordinate',
  'ConfigEntry',
  'Session',
  'KV',
  'PreparedQuery',
  'Cursor',
  'LegalHold'
]

/**
 * Topics deleted after all creations. A token keeps its permissions until it is changed, replaced or deleted,
 * so no rule that denies may be deleted earlier. Namespaces and partitions are empty when they are deleted.
 */
export const LATE_DELETIONS: readonly Topic[] = [
  'ACLToken',
  'ACLBindingRule',
  'ACLAuthMethod',
  'ACLRole',
  'ACLPolicy',
  'Namespace',
  'Partition'
]

/** Topics deleted before all creations, those that refer to others first. */
export const EARLY_DELETIONS: readonly Topic[] = CREATION_ORDER.filter(
  topic => !LATE_DELETIONS.includes(topic)
).toReversed()

export const MAX_EVENTS = 100
export const MAX_CHARACTERS = 256 * 1024
