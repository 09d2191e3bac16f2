// Every event type of a stream, by topic (spec: stream.md §11, §15). A missing type of an aggregate is a compile error.
import type { AccessBootstrapped, AutopilotUpserted, ClusterIdentified } from '../../events/cluster.js'
import type { AuthMethodEvent } from '../../events/auth-method.js'
import type { BindingRuleEvent } from '../../events/binding-rule.js'
import type { CheckEvent } from '../../events/check.js'
import type { ConfigEntryEvent } from '../../events/config-entry.js'
import type { CursorEvent } from '../../events/cursor.js'
import type { LegalHoldEvent } from '../../events/legal-hold.js'
import type { Event } from '../../events/envelope.js'
import type { HistoryErased } from '../../events/erasure.js'
import type { KvEvent } from '../../events/kv.js'
import type { NamespaceEvent, PartitionEvent } from '../../events/namespace.js'
import type { NodeEvent } from '../../events/node.js'
import type { PolicyEvent } from '../../events/policy.js'
import type { PolicyProposalEvent } from '../../events/policy-proposal.js'
import type { QueryEvent } from '../../events/prepared-query.js'
import type { RoleEvent } from '../../events/role.js'
import type { ServiceEvent } from '../../events/service.js'
import type { SessionEvent } from '../../events/session.js'
import type { SnapshotEvent } from '../../events/snapshot.js'
import type { TokenEvent } from '../../events/token.js'

export type StreamedEvent =
  | AccessBootstrapped
  | AuthMethodEvent
  | AutopilotUpserted
  | BindingRuleEvent
  | CheckEvent
  | ClusterIdentified
  | ConfigEntryEvent
  | CursorEvent
  | LegalHoldEvent
  | HistoryErased
  | KvEvent
  | NamespaceEvent
  | NodeEvent
  | PartitionEvent
  | PolicyEvent
  | PolicyProposalEvent
  | QueryEvent
  | RoleEvent
  | ServiceEvent
  | SessionEvent
  | SnapshotEvent
  | TokenEvent

type TopicsOf<E extends Event> = { readonly [Each in E as Each['Type']]: Each['Topic'] }

/** The topic of each event type. */
export const EVENT_TOPICS: TopicsOf<StreamedEvent> = {
  ACLAuthMethodDeleted: 'ACLAuthMethod',
  ACLAuthMethodUpserted: 'ACLAuthMethod',
  ACLBindingRuleDeleted: 'ACLBindingRule',
  ACLBindingRuleUpserted: 'ACLBindingRule',
  ACLBootstrapped: 'Operator',
  ACLPolicyDeleted: 'ACLPolicy',
  ACLPolicyUpserted: 'ACLPolicy',
  ACLPolicyProposalDeleted: 'ACLPolicyProposal',
  ACLPolicyProposalPromoted: 'ACLPolicyProposal',
  ACLPolicyProposalUpserted: 'ACLPolicyProposal',
  ACLRoleDeleted: 'ACLRole',
  ACLRoleUpserted: 'ACLRole',
  ACLTokenDeleted: 'ACLToken',
  ACLTokenUpserted: 'ACLToken',
  AutopilotUpserted: 'Autopilot',
  CheckDeregistration: 'Check',
  CheckRegistration: 'Check',
  CheckStatusUpdate: 'Check',
  ClusterIdentified: 'Cluster',
  ConfigEntryDeleted: 'ConfigEntry',
  ConfigEntryUpserted: 'ConfigEntry',
  CursorDeleted: 'Cursor',
  CursorMoved: 'Cursor',
  CursorSkipped: 'Cursor',
  CursorUpserted: 'Cursor',
  LegalHoldLifted: 'LegalHold',
  LegalHoldPlaced: 'LegalHold',
  HistoryErased: 'Erasure',
  KVDelete: 'KV',
  KVLock: 'KV',
  KVSet: 'KV',
  KVUnlock: 'KV',
  NamespaceDeleted: 'Namespace',
  NamespaceUpserted: 'Namespace',
  NodeDeregistration: 'Node',
  NodeEligibility: 'Node',
  NodeEvent: 'Node',
  NodeRegistration: 'Node',
  PartitionDeleted: 'Partition',
  PartitionUpserted: 'Partition',
  PreparedQueryDeleted: 'PreparedQuery',
  PreparedQueryUpserted: 'PreparedQuery',
  ServiceDeregistration: 'Service',
  ServiceRegistration: 'Service',
  SessionCreated: 'Session',
  SessionDestroyed: 'Session',
  SessionInvalidated: 'Session',
  SnapshotRestoreBegun: 'Snapshot',
  SnapshotRestoreEnded: 'Snapshot'
}

/** Types of other servers, which clients may name. */
const SILENT: readonly string[] = [
  'AllocationCreated',
  'AllocationUpdated',
  'AllocationUpdateDesiredStatus',
  'DeploymentAllocHealth',
  'DeploymentPromotion',
  'DeploymentStatusUpdate',
  'EvaluationUpdated',
  'JobBatchDeregistered',
  'JobDeregistered',
  'JobRegistered',
  'NodeDrain',
  'PlanResult'
]

const ALL: ReadonlySet<string> = new Set([...Object.keys(EVENT_TOPICS), ...SILENT])

export const isEventType = (name: string): boolean => ALL.has(name)
