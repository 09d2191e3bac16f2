// What the servers of a cluster share: the end of the log, in the one order of their commits, and who gives that order.
import type { RecordGroup } from '../record-group.js'
import type { StoredRecord } from '../record.js'
import { StoreFull, type Head } from '../store.js'

/** The time of one server as the leader. */
export interface Term {
  /** Larger than that of every term before it. */
  readonly epoch: number
  /** Random: no term passes for another after what is shared was put back from a backup, and numbers repeat. */
  readonly nonce: string
}

/** A server of the cluster, as it announces itself. */
export interface Member {
  readonly id: string
  readonly name: string
  /** Where other servers reach it over HTTP: `http://10.0.0.1:8500`. */
  readonly address: string
  /** Where it says that it is reached, without scheme and port. */
  readonly bind: string
  readonly meta: Readonly<Record<string, string>>
  readonly version: string
  /** Epoch ms by its own clock, when it announced this. */
  readonly at: number
  /** The newest commit that its own disk holds. */
  readonly flushed: number
  /** For how long nothing had proved to it that what it shows is the newest, in whole ms; 0 for the leader. */
  readonly lastContact: number
  /** Absent from the announcements of earlier versions, as are the fields below. */
  readonly datacenter?: string
  /** IDs of the live members that it cannot reach over HTTP. */
  readonly unreachable?: readonly string[]
  /** Whether its log, its clock and its disk allow it to lead. */
  readonly canLead?: boolean
}

export interface SharedMembers {
  /** The members whose leases are valid. */
  readonly live: readonly Member[]
  /** All members that were not forgotten, each as it last announced itself. */
  readonly joined: readonly Member[]
}

export interface Leader extends Term {
  readonly id: string
  readonly address: string
}

/** A linearizable read of the shared log. */
export interface SharedState {
  readonly head: Head
  readonly leader: Leader | undefined
  /** Index of the oldest commit whose record is still there. */
  readonly floor: number
  /** When this was asked for, in ms of the monotonic clock: nothing acknowledged before then is missing. */
  readonly askedAt: number
}

/** The room that is taken by what is shared, and by all else that lies there. */
export interface SharedUsage {
  readonly bytes: number
  /** True if etcd has raised its space alarm, which an operator must clear after freeing space. */
  readonly isFull: boolean
}

/** What every server of a cluster begins as: one log, and what goes with it. */
export interface ClusterSeed {
  /** Random, so that a restored or recreated cluster has another ID. */
  readonly cluster: string
  readonly log: { readonly id: string; readonly incarnation: number }
  /** The file `keys` of the log: data keys, wrapped by the key that is configured. */
  readonly keys: Uint8Array
  /** The file `signing-key` of the log. */
  readonly signingKey: Uint8Array
}

/** What a cluster was when somebody looked. */
export interface ClusterFounding {
  readonly foundation: ClusterSeed
  readonly head: Head
}

/** The shared log did not respond in time. The outcome of a write is unknown. */
export class SharedUnreachable extends Error {
  override readonly name = 'SharedUnreachable'
}

/** What an operator does when what is shared is older than the servers. */
export const RESTORE_HINT =
  '`annals cluster restore-head` on the server with the newest commit puts back what is missing'

/** The shared log contradicts this log or was restored from a backup. An operator must intervene. */
export class SharedMismatch extends Error {
  override readonly name = 'SharedMismatch'
}

/** This server may not take part beside the other members. The message names the member and the setting. */
export class JoinRefused extends Error {
  override readonly name = 'JoinRefused'
}

/** The append is not in the log. The term had to end to make this certain. */
export class TermEnded extends StoreFull {}

/** `stored`: in the log, for good. `refuted`: not in the log, and never will be. */
export type Settlement = 'stored' | 'refuted'

/** This server's part in the cluster: ends by itself when it is not renewed in time. */
export interface Membership {
  /** Until when it holds for certain, in ms of the monotonic clock, counted from when its renewal was sent. */
  readonly validUntil: number
  /** Tells the others what this server is and holds. @throws JoinRefused while another live member has its name; SharedUnreachable */
  announce(member: Member): Promise<void>
  /** Becomes the leader if there is none. Undefined when another one is. @throws SharedUnreachable */
  campaign(member: Member): Promise<Term | undefined>
  /** Ends the leadership. Another server may lead immediately. */
  resign(term: Term): Promise<void>
  /** Calls when it has ended without having been closed. Returns how to stop. */
  onLost(listener: () => void): () => void
  /** Ends it: the others know at once. */
  close(): Promise<void>
}

/** Records as they arrive, or a word that everything asked for may be missing: `floor` when their first is not there any more. */
export type SharedRecords =
  | { readonly kind: 'records'; readonly records: readonly StoredRecord[] }
  | { readonly kind: 'gone'; readonly floor: number }

export interface SharedLog {
  /** What the cluster begins as; undefined when there is none yet. @throws SharedUnreachable; SharedMismatch for a later format */
  clusterSeed(): Promise<ClusterSeed | undefined>

  /** Founds the cluster with a log that ends at a head, unless there is one already. @returns what it begins as. @throws SharedUnreachable */
  createCluster(foundation: ClusterSeed, head: Head): Promise<ClusterSeed>

  /**
   * Recreates the cluster at the head of a log, for an operator whose etcd was lost or restored. Earlier records are no
   * longer shared, and remaining members receive a `SharedMismatch`.
   * @param instead the state that the operator replaces; undefined for no cluster
   * @throws SharedMismatch if the shared state has changed since; SharedUnreachable
   */
  restoreHead(now: ClusterFounding, instead: ClusterFounding | undefined): Promise<void>

  /** What is shared now. Requests that wait share a read only if it was sent after they asked. @throws SharedUnreachable */
  read(): Promise<SharedState>

  /** Calls the listener with each result of `read`, including the reads of `follow`. Returns a function that unsubscribes. */
  onRead(listener: (state: SharedState) => void): () => void

  /**
   * Appends a group after `before` if the term still lasts. Retries until the outcome is certain. One call at a time.
   * @throws SharedMismatch; WriteFailure `unchanged` if the shared log is full; SharedUnreachable if it was closed
   */
  append(term: Term, before: Head, group: RecordGroup): Promise<Settlement>

  /**
   * The records from an index on, in order and without gaps, as they are appended, until the signal aborts. After `gone` it ends.
   * Meanwhile it reads the shared state, at once when the leader changes.
   * @throws SharedUnreachable when nothing is heard any more; SharedMismatch
   */
  follow(from: number, signal: AbortSignal): AsyncIterable<SharedRecords>

  /** Takes part. @throws SharedUnreachable */
  join(): Promise<Membership>

  /** Returns the members, all of the same moment. @throws SharedUnreachable */
  members(): Promise<SharedMembers>

  /** Forgets a server that will not come back. @throws SharedUnreachable */
  forget(id: string): Promise<void>

  /** Deletes the records below an index if the term still lasts, and frees their space. @returns the new floor. @throws SharedUnreachable */
  compact(term: Term, floor: number): Promise<number>

  /** How much room is taken where it is kept. @throws SharedUnreachable */
  usage(): Promise<SharedUsage>

  close(): Promise<void>
}
