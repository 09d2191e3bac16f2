// How far a datacenter has come in taking over what its primary has: told in the very commit of what was taken over.
import { CONFIG_ENTRY_TOPIC } from './config-entry.js'
import type { Event } from './envelope.js'
import { NAMESPACE_TOPIC } from './namespace.js'
import { POLICY_TOPIC } from './policy.js'
import { ROLE_TOPIC } from './role.js'
import { TOKEN_TOPIC } from './token.js'

export const REPLICATION_TOPIC = 'Replication'
/** There is one primary. */
export const REPLICATION_KEY = 'primary'

/** The topics of what is taken over, each before what refers to it. */
export const REPLICATED_TOPICS: readonly string[] = [
  NAMESPACE_TOPIC,
  POLICY_TOPIC,
  ROLE_TOPIC,
  TOKEN_TOPIC,
  CONFIG_ENTRY_TOPIC
]

/** Index of the last change of each list, in the log of the primary. */
export interface ReplicatedIndexes {
  readonly Policies: number
  readonly Roles: number
  /** 0 where tokens are not taken over. */
  readonly Tokens: number
  readonly ConfigEntries: number
}

/** Up to where everything was taken over. */
export interface ReplicationPosition {
  /** The primary. */
  readonly Datacenter: string
  /** ID of its log, 16 bytes in hex. */
  readonly Log: string
  readonly Incarnation: number
  /** Index of a commit of that log. */
  readonly Index: number
  /** Hash of that commit, 64 hex digits: a log that has another one there was set back since. */
  readonly Hash: string
  /** Whether tokens were among it. */
  readonly WithTokens: boolean
  /** Whether some of it could not be taken over: what comes later is not enough then, everything is to be told anew. */
  readonly LeftOut?: boolean
  readonly Indexes: ReplicatedIndexes
}

export type ReplicationMoved = Event<
  typeof REPLICATION_TOPIC,
  'ReplicationMoved',
  { readonly Replication: ReplicationPosition }
>

/** This datacenter has become its own primary: what it writes from here on is no copy. */
export type ReplicationEnded = Event<
  typeof REPLICATION_TOPIC,
  'ReplicationEnded',
  { readonly Replication: ReplicationPosition }
>

/** Tells these events from others; what the log holds under this topic was written by us. */
export const isReplicationMoved = (event: Event): event is ReplicationMoved =>
  event.Topic === REPLICATION_TOPIC && event.Type === 'ReplicationMoved'

export const isReplicationEnded = (event: Event): event is ReplicationEnded =>
  event.Topic === REPLICATION_TOPIC && event.Type === 'ReplicationEnded'
