// The position of a secondary datacenter in the primary's log, stored in the commit of the replicated resources.
import { CONFIG_ENTRY_TOPIC } from './config-entry.js'
import { resourceEvents, type EventOf } from './envelope.js'
import { NAMESPACE_TOPIC } from './namespace.js'
import { POLICY_TOPIC } from './policy.js'
import { ROLE_TOPIC } from './role.js'
import { TOKEN_TOPIC } from './token.js'

/** Only one primary exists. */
export const REPLICATION_KEY = 'primary'

/** Ordered so that a topic follows the topics that it refers to. */
export const REPLICATED_TOPICS: readonly string[] = [
  NAMESPACE_TOPIC,
  POLICY_TOPIC,
  ROLE_TOPIC,
  TOKEN_TOPIC,
  CONFIG_ENTRY_TOPIC
]

/** Index of the last change of each list in the primary's log. */
export interface ReplicatedIndexes {
  readonly Policies: number
  readonly Roles: number
  /** 0 if tokens are not replicated. */
  readonly Tokens: number
  readonly ConfigEntries: number
}

/** The position up to which replication is complete. */
export interface ReplicationPosition {
  /** Name of the primary. */
  readonly Datacenter: string
  /** Log ID, 16 bytes in hex. */
  readonly Log: string
  readonly Incarnation: number
  /** Index of a commit of that log. */
  readonly Index: number
  /** Hash of that commit, 64 hex digits. A different hash means that the log was restored to an earlier state. */
  readonly Hash: string
  readonly WithTokens: boolean
  /** True if a resource could not be replicated. The next transfer must then be complete. */
  readonly LeftOut?: boolean
  readonly Indexes: ReplicatedIndexes
}

/** `ReplicationEnded`: this datacenter has become its own primary. */
export const replicationEvents = resourceEvents({
  topic: 'Replication',
  types: ['ReplicationMoved', 'ReplicationEnded'],
  payloadOf: (position: ReplicationPosition) => ({ Replication: position }),
  keyOf: () => REPLICATION_KEY
})
export type ReplicationEvent = EventOf<typeof replicationEvents>
