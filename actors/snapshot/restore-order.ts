// The order of topics in a restore, so that references have targets, and the size of its pieces.
import { CLUSTER_TOPIC, OPERATOR_TOPIC } from '../../events/cluster.js'
import { IDEMPOTENT_RESPONSE_TOPIC } from '../../events/idempotent-responses-expired.js'
import { AUTH_METHOD_TOPIC } from '../../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../../events/binding-rule.js'
import { CHECK_TOPIC } from '../../events/check.js'
import { CONFIG_ENTRY_TOPIC } from '../../events/config-entry.js'
import { COORDINATE_TOPIC, NODE_TOPIC } from '../../events/node.js'
import { CURSOR_TOPIC } from '../../events/cursor.js'
import { KV_TOPIC } from '../../events/kv.js'
import { NAMESPACE_TOPIC, PARTITION_TOPIC } from '../../events/namespace.js'
import { OIDC_REQUEST_TOPIC } from '../../events/oidc-request.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { QUERY_TOPIC } from '../../events/prepared-query.js'
import { ERASURE_TOPIC } from '../../events/erasure.js'
import { REPLICATION_TOPIC } from '../../events/replication.js'
import { LOG_TOPIC } from '../../events/retention.js'
import { ROLE_TOPIC } from '../../events/role.js'
import { SERVICE_TOPIC } from '../../events/service.js'
import { SESSION_TOPIC } from '../../events/session.js'
import { SNAPSHOT_TOPIC } from '../../events/snapshot.js'
import { TOKEN_TOPIC } from '../../events/token.js'

/** Topics of this log alone, which are no part of an archive's state. */
export const LOG_TOPICS: ReadonlySet<string> = new Set([
  SNAPSHOT_TOPIC,
  LOG_TOPIC,
  REPLICATION_TOPIC,
  IDEMPOTENT_RESPONSE_TOPIC,
  ERASURE_TOPIC
])

/** Topics before those that refer to them. */
export const CREATION_ORDER: readonly string[] = [
  CLUSTER_TOPIC,
  PARTITION_TOPIC,
  NAMESPACE_TOPIC,
  POLICY_TOPIC,
  ROLE_TOPIC,
  AUTH_METHOD_TOPIC,
  BINDING_RULE_TOPIC,
  TOKEN_TOPIC,
  OPERATOR_TOPIC,
  OIDC_REQUEST_TOPIC,
  NODE_TOPIC,
  SERVICE_TOPIC,
  CHECK_TOPIC,
  COORDINATE_TOPIC,
  CONFIG_ENTRY_TOPIC,
  SESSION_TOPIC,
  KV_TOPIC,
  QUERY_TOPIC,
  CURSOR_TOPIC
]

/**
 * Topics deleted after all creations. A token keeps its permissions until it is changed, replaced or deleted,
 * so no rule that denies may be deleted earlier. Namespaces and partitions are empty when they are deleted.
 */
export const LATE_DELETIONS: readonly string[] = [
  TOKEN_TOPIC,
  BINDING_RULE_TOPIC,
  AUTH_METHOD_TOPIC,
  ROLE_TOPIC,
  POLICY_TOPIC,
  NAMESPACE_TOPIC,
  PARTITION_TOPIC
]

/** Topics deleted before all creations, those that refer to others first. */
export const EARLY_DELETIONS: readonly string[] = CREATION_ORDER.filter(
  topic => !LATE_DELETIONS.includes(topic)
).toReversed()

export const MAX_EVENTS = 100
export const MAX_CHARACTERS = 256 * 1024
