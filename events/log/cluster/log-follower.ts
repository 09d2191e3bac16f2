import { recovery } from '../../errors.js'
import type { Report } from '../report.js'
import type { StoredRecord } from '../record.js'
import { follow } from '../follow.js'
import type { HashedLog } from '../received-records.js'
import {
  RESTORE_HINT,
  SharedMismatch,
  SharedUnreachable,
  type SharedLog,
  type SharedState
} from './shared-log.js'

/** Where records come from that are not shared any more. */
export interface PeerLogs {
  /** Pages of another server's records from an index on. @throws SharedUnreachable if no server can be reached; PeersLackCommits */
  records(from: number, signal: AbortSignal): AsyncIterable<readonly StoredRecord[]>
}

/** No server of the cluster has a log that goes back so far: what is here has to be replaced by the files of one of them. */
export class PeersLackCommits extends Error {
  override readonly name = 'PeersLackCommits'

  constructor(from: number) {
    super(`no server of the cluster has commit ${from} any more`)
  }
}

export interface LogFollowerDependencies {
  readonly log: HashedLog
  /** Ingests records like `StoredLog.ingest`. Resolves when every reader sees them. Waits while the disk rejects writes, or until `signal` aborts. */
  readonly take: (records: readonly StoredRecord[]) => Promise<void>
  readonly shared: SharedLog
  readonly peers: PeerLogs
  /** Replaces this log by the files of a peer if it is too far behind. @throws SharedUnreachable if that is impossible now */
  readonly replace: (signal: AbortSignal) => Promise<void>
  readonly report: Report
  /** Waits before the next attempt, or until the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

const RETRY_MS = 200

/**
 * Proves that a log is the beginning of what is shared.
 * @returns what was shared when this was called, or later
 * @throws SharedMismatch naming the index at which it is not; SharedUnreachable
 */
export async function verifySharedLog(log: HashedLog, shared: Pick<SharedLog, 'read'>): Promise<SharedState> {
  // Taken first: the log may grow meanwhile.
  const { durableIndex } = log
  const state = await shared.read()
  const { head } = state
  if (head.index < durableIndex)
    throw new SharedMismatch(
      `this server has commit ${durableIndex}, and the cluster ends at commit ${head.index}: was etcd put back from a backup? ${RESTORE_HINT}`
    )
  const isHere = head.index <= log.durableIndex && head.index >= log.firstIndex - 1
  if (isHere && (await log.hashAt(head.index)) !== Buffer.from(head.hash).toString('hex'))
    throw new SharedMismatch(`commit ${head.index} of this server is another one than that of the cluster`)
  return state
}

/**
 * Takes everything that is shared, as it is appended, until the signal aborts: what is not shared any more from another server, and what
 * cannot be reached when it can be again.
 * @throws SharedMismatch RecordRefused, and what `take` and `replace` throw
 */
export async function followSharedLog(parts: LogFollowerDependencies, signal: AbortSignal): Promise<void> {
  const { report, pause } = parts
  const attempt = (heard: () => void): Promise<void> => {
    const take = async (records: readonly StoredRecord[]): Promise<void> => {
      await parts.take(records)
      heard()
    }
    return followOnce({ ...parts, take }, signal)
  }
  const failed = (error: unknown, isNew: boolean): void => {
    if (!(error instanceof SharedUnreachable)) throw error
    if (isNew) report({ level: 'warn', text: `the cluster cannot be followed now: ${error.message}` })
  }
  await follow({ attempt, failed, interval: RETRY_MS, pause }, signal)
}

/** @throws SharedUnreachable when nothing is heard any more */
async function followOnce(parts: LogFollowerDependencies, signal: AbortSignal): Promise<void> {
  const { log, take, shared } = parts
  while (!signal.aborted) {
    await verifySharedLog(log, shared)
    for await (const arrival of shared.follow(log.durableIndex + 1, signal)) {
      if (signal.aborted) return
      if (arrival.kind === 'records') await take(arrival.records)
      else await catchUp(arrival.floor, parts, signal)
    }
  }
}

/** Fetches compacted commits from a peer. An empty log copies a peer's files, which is faster. */
async function catchUp(floor: number, parts: LogFollowerDependencies, signal: AbortSignal): Promise<void> {
  const replace = (): Promise<void> => parts.replace(signal)
  if (parts.log.durableIndex === 0) return replace()
  await copyUpTo(floor, parts, signal).catch(recovery(PeersLackCommits, replace))
}

/** Copies a peer's commits up to the floor of the shared log. @throws SharedUnreachable if no reachable peer has them */
async function copyUpTo(
  floor: number,
  { log, take, peers }: LogFollowerDependencies,
  signal: AbortSignal
): Promise<void> {
  for await (const records of peers.records(log.durableIndex + 1, signal)) {
    if (signal.aborted) return
    await take(records)
    if (log.durableIndex >= floor - 1) return
  }
  if (log.durableIndex < floor - 1)
    throw new SharedUnreachable(`no server that can be reached has commit ${log.durableIndex + 1}`)
}
