import { accessAggregate } from './access.js'
import { agentAggregate } from './agent/agent.js'
import type { Aggregate } from './aggregate.js'
import type { Views } from '../projections/read-models.js'
import type { ActorRef } from './ref.js'
import { checkTenancy } from './tenancy.js'
import { authMethodAggregate } from './auth-method/auth-method.js'
import { autopilotAggregate, clusterAggregate } from './cluster.js'
import { bindingRuleAggregate } from './binding-rule.js'
import { catalogAggregate } from './catalog/catalog.js'
import { changeSetAggregate } from './change-set/change-set-draft.js'
import { checkLifecycle } from './catalog/check.js'
import { configEntryAggregate } from './config-entry/config-entry.js'
import { coordinateAggregate } from './coordinate.js'
import { cursorAggregate } from './cursor.js'
import { idempotentResponsesAggregate, retentionAggregate } from './retention.js'
import { kvAggregate } from './kv.js'
import { legalHoldAggregate } from './legal-hold.js'
import { erasureAggregate } from './erasure/erasure.js'
import { type Lifecycle, Lifecycles } from './lifecycle.js'
import { loginAggregate } from './login/login.js'
import { namespaceAggregate } from './namespace.js'
import { oidcRequestAggregate } from './oidc-request.js'
import { partitionAggregate } from './partition.js'
import { policyAggregate } from './policy.js'
import { policyProposalAggregate } from './policy-proposal.js'
import { queryAggregate } from './query.js'
import { replicationAggregate } from './replication/replication.js'
import { roleAggregate } from './role.js'
import { serviceLifecycle } from './catalog/service.js'
import { sessionAggregate } from './session.js'
import { snapshotAggregate } from './snapshot/restore-snapshot.js'
import { tokenAggregate } from './token.js'
import { transactionAggregate } from './transaction/transaction.js'

/** Aggregates with a lifecycle have its topic as their kind. */
const all = {
  Partition: partitionAggregate,
  Namespace: namespaceAggregate,
  Operator: accessAggregate,
  ACLPolicy: policyAggregate,
  ACLPolicyProposal: policyProposalAggregate,
  ACLRole: roleAggregate,
  ACLToken: tokenAggregate,
  ACLAuthMethod: authMethodAggregate,
  ACLBindingRule: bindingRuleAggregate,
  OIDCRequest: oidcRequestAggregate,
  Node: catalogAggregate,
  Coordinate: coordinateAggregate,
  ConfigEntry: configEntryAggregate,
  KV: kvAggregate,
  Session: sessionAggregate,
  PreparedQuery: queryAggregate,
  Cursor: cursorAggregate,
  LegalHold: legalHoldAggregate,
  Cluster: clusterAggregate,
  Autopilot: autopilotAggregate,
  Log: retentionAggregate,
  Replication: replicationAggregate,
  KeptAnswer: idempotentResponsesAggregate,
  Erasure: erasureAggregate,
  Snapshot: snapshotAggregate,
  // These only decide: they change resources of other kinds.
  Agent: agentAggregate,
  Login: loginAggregate,
  Transaction: transactionAggregate,
  ChangeSet: changeSetAggregate
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

/**
 * Returns the decision of a command on read models, which may be a draft.
 * @throws Refusal of the decision; `invalid` or `conflict` if the command's tenancy does not exist or is being deleted
 */
export const decideOn = <K extends Kind>(
  views: Views,
  ref: ActorRef<K>,
  command: Commands[K]
): Decisions[K] => {
  const aggregate: Aggregate<Commands[K], Decisions[K]> = aggregates[ref.kind]
  checkTenancy(aggregate, command, views)
  return aggregate.decide(command, views, views.index + 1)
}

/** How actors of each kind decide, and the lifecycles that their events follow. */
export const decisionRules = { decideOn, lifecycles }
