// Every event type of a stream, by topic (spec: stream.md §11, §15).
import type { EventOf } from '../../events/envelope.js'
import { authMethodEvents } from '../../events/auth-method.js'
import { bindingRuleEvents } from '../../events/binding-rule.js'
import { checkEvents } from '../../events/check.js'
import type { AccessBootstrapped, AutopilotUpserted, ClusterIdentified } from '../../events/cluster.js'
import { configEntryEvents } from '../../events/config-entry.js'
import { cursorEvents } from '../../events/cursor.js'
import type { HistoryErased } from '../../events/erasure.js'
import { kvEvents } from '../../events/kv.js'
import { legalHoldEvents } from '../../events/legal-hold.js'
import { namespaceEvents, partitionEvents } from '../../events/namespace.js'
import { nodeEvents } from '../../events/node.js'
import { policyEvents } from '../../events/policy.js'
import { policyProposalEvents } from '../../events/policy-proposal.js'
import { queryEvents } from '../../events/prepared-query.js'
import { roleEvents } from '../../events/role.js'
import { serviceEvents } from '../../events/service.js'
import { sessionEvents } from '../../events/session.js'
import type { SnapshotEvent } from '../../events/snapshot.js'
import { tokenEvents } from '../../events/token.js'

/** The events of resources. */
export const STREAMED_RESOURCES = [
  authMethodEvents,
  bindingRuleEvents,
  policyEvents,
  policyProposalEvents,
  roleEvents,
  tokenEvents,
  checkEvents,
  configEntryEvents,
  cursorEvents,
  legalHoldEvents,
  kvEvents,
  namespaceEvents,
  nodeEvents,
  partitionEvents,
  queryEvents,
  serviceEvents,
  sessionEvents
] as const

type OtherEvent = AccessBootstrapped | AutopilotUpserted | ClusterIdentified | HistoryErased | SnapshotEvent

const OTHERS: { readonly [Each in OtherEvent as Each['Type']]: Each['Topic'] } = {
  ACLBootstrapped: 'Operator',
  AutopilotUpserted: 'Autopilot',
  ClusterIdentified: 'Cluster',
  HistoryErased: 'Erasure',
  SnapshotRestoreBegun: 'Snapshot',
  SnapshotRestoreEnded: 'Snapshot'
}

export type StreamedEvent = EventOf<(typeof STREAMED_RESOURCES)[number]> | OtherEvent

/** The topic of each event type. */
export const EVENT_TOPICS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    STREAMED_RESOURCES.flatMap(({ topic, types }) => types.map((type): [string, string] => [type, topic]))
  ),
  ...OTHERS
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
