// All aggregates by kind of actor, and all lifecycles by topic of their events.
import { AUTOPILOT_TOPIC, CLUSTER_TOPIC, OPERATOR_TOPIC } from '../events/cluster.js'
import { IDEMPOTENT_RESPONSE_TOPIC } from '../events/idempotent-responses-expired.js'
import { AUTH_METHOD_TOPIC } from '../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../events/binding-rule.js'
import { CONFIG_ENTRY_TOPIC } from '../events/config-entry.js'
import { COORDINATE_TOPIC, NODE_TOPIC } from '../events/node.js'
import { CURSOR_TOPIC } from '../events/cursor.js'
import { KV_TOPIC } from '../events/kv.js'
import { NAMESPACE_TOPIC, PARTITION_TOPIC } from '../events/namespace.js'
import { OIDC_REQUEST_TOPIC } from '../events/oidc-request.js'
import { POLICY_TOPIC } from '../events/policy.js'
import { QUERY_TOPIC } from '../events/prepared-query.js'
import { ERASURE_TOPIC } from '../events/erasure.js'
import { REPLICATION_TOPIC } from '../events/replication.js'
import { LOG_TOPIC } from '../events/retention.js'
import { ROLE_TOPIC } from '../events/role.js'
import { SESSION_TOPIC } from '../events/session.js'
import { SNAPSHOT_TOPIC } from '../events/snapshot.js'
import { TOKEN_TOPIC } from '../events/token.js'
import { accessAggregate } from './access.js'
import { agentAggregate } from './agent/agent.js'
import type { Aggregate } from './aggregate.js'
import { authMethodAggregate } from './auth-method/auth-method.js'
import { autopilotAggregate } from './autopilot.js'
import { bindingRuleAggregate } from './binding-rule.js'
import { catalogAggregate } from './catalog/catalog.js'
import { checkLifecycle } from './catalog/check.js'
import { clusterAggregate } from './cluster.js'
import { configEntryAggregate } from './config-entry/config-entry.js'
import { coordinateAggregate } from './coordinate.js'
import { cursorAggregate } from './cursor.js'
import { idempotentResponsesAggregate } from './idempotent-responses.js'
import { kvAggregate } from './kv.js'
import { erasureAggregate } from './erasure/erasure.js'
import { type Lifecycle, Lifecycles } from './lifecycle.js'
import { loginAggregate } from './login/login.js'
import { namespaceAggregate } from './namespace.js'
import { oidcRequestAggregate } from './oidc-request.js'
import { partitionAggregate } from './partition.js'
import { policyAggregate } from './policy.js'
import { queryAggregate } from './query.js'
import { replicationAggregate } from './replication/replication.js'
import { retentionAggregate } from './retention.js'
import { roleAggregate } from './role.js'
import { serviceLifecycle } from './catalog/service.js'
import { sessionAggregate } from './session.js'
import { snapshotAggregate } from './snapshot/restore-snapshot.js'
import { tokenAggregate } from './token.js'
import { transactionAggregate } from './transaction/transaction.js'

const all = {
  [PARTITION_TOPIC]: partitionAggregate,
  [NAMESPACE_TOPIC]: namespaceAggregate,
  [OPERATOR_TOPIC]: accessAggregate,
  [POLICY_TOPIC]: policyAggregate,
  [ROLE_TOPIC]: roleAggregate,
  [TOKEN_TOPIC]: tokenAggregate,
  [AUTH_METHOD_TOPIC]: authMethodAggregate,
  [BINDING_RULE_TOPIC]: bindingRuleAggregate,
  [OIDC_REQUEST_TOPIC]: oidcRequestAggregate,
  [NODE_TOPIC]: catalogAggregate,
  [COORDINATE_TOPIC]: coordinateAggregate,
  [CONFIG_ENTRY_TOPIC]: configEntryAggregate,
  [KV_TOPIC]: kvAggregate,
  [SESSION_TOPIC]: sessionAggregate,
  [QUERY_TOPIC]: queryAggregate,
  [CURSOR_TOPIC]: cursorAggregate,
  [CLUSTER_TOPIC]: clusterAggregate,
  [AUTOPILOT_TOPIC]: autopilotAggregate,
  [LOG_TOPIC]: retentionAggregate,
  [REPLICATION_TOPIC]: replicationAggregate,
  [IDEMPOTENT_RESPONSE_TOPIC]: idempotentResponsesAggregate,
  [ERASURE_TOPIC]: erasureAggregate,
  [SNAPSHOT_TOPIC]: snapshotAggregate,
  // These only decide: they change resources of other kinds.
  Agent: agentAggregate,
  Login: loginAggregate,
  Transaction: transactionAggregate
}
type All = typeof all

export type Kind = keyof All
export type Commands = { [K in Kind]: All[K] extends Aggregate<infer C, infer _> ? C : never }
export type Decisions = { [K in Kind]: All[K] extends Aggregate<infer _, infer D> ? D : never }

export const aggregates: { readonly [K in Kind]: Aggregate<Commands[K], Decisions[K]> } = all

const declared: readonly { readonly lifecycle?: Lifecycle }[] = Object.values(all)

/** Services and checks have no commands of their own: the commands of their node change them. */
export const lifecycles = new Lifecycles([
  ...declared.flatMap(({ lifecycle }) => lifecycle ?? []),
  serviceLifecycle,
  checkLifecycle
])
