import type { Connection, Query } from '../../../../typescript/connection.js'
import type { DisclosedLeaf } from '../../../../../events/log/evidence/open-leaf.js'
import type { Version } from '../../../resources/versions.js'
import { openCheckpoint, openCommit, proveGrowth, Unproved, type Checkpoint } from './evidence.js'
import { compareWithView, type ViewComparison } from './compare-with-view.js'
import { parseExact } from '../../../session/exact-json.js'

/** The newest validly signed checkpoint that this tab has seen. Later checkpoints must extend its log. */
const STORED_AS = 'annals-checkpoint'

interface TrustedCheckpointRecord {
  readonly checkpoint: Checkpoint
  /** The time of its verification, in ms. */
  readonly seen: number
}

interface StoredCheckpoint {
  readonly note: string
  readonly vkey: string
  readonly seen: number
}

/** Returns undefined if none is stored, or the stored one is invalid. */
const loadTrustedCheckpoint = (): TrustedCheckpointRecord | undefined => {
  const text = sessionStorage.getItem(STORED_AS)
  if (text === null) return undefined
  try {
    const { note, vkey, seen }: StoredCheckpoint = parseExact(text)
    return { checkpoint: openCheckpoint(note, vkey), seen }
  } catch {
    sessionStorage.removeItem(STORED_AS)
    return undefined
  }
}

const saveTrustedCheckpoint = ({ note, vkey }: Checkpoint): void =>
  sessionStorage.setItem(
    STORED_AS,
    JSON.stringify({ note, vkey, seen: Date.now() } satisfies StoredCheckpoint)
  )

export interface Proved {
  readonly checkpoint: Checkpoint
  readonly same: ViewComparison
  /** Number of parts of the commit that are disclosed by hash only. */
  readonly withheld: number
  readonly erased: number
  readonly growth: Growth
}

/** The relation of the log to the newest checkpoint that this tab has seen. */
export type Growth =
  | 'first seen'
  /** The log has another name, because it was truncated, restored or replaced. */
  | { readonly before: string }
  /** The log has only grown since this size. */
  | { readonly size: number; readonly seen: number }

const CHECKPOINT = '/v1/event/checkpoint'

const checkpointWith = async (
  connection: Connection,
  index: number,
  signal: AbortSignal
): Promise<Checkpoint> => {
  const text = async (path: string, query: Query = {}): Promise<string> =>
    (await connection.request('GET', path, { query, signal })).text()
  const vkey = await text(`${CHECKPOINT}/key`)
  const newest = openCheckpoint(await text(CHECKPOINT), vkey)
  // The next checkpoint contains the newest commits.
  return newest.head.size >= index ? newest : openCheckpoint(await text(CHECKPOINT, { size: index }), vkey)
}

const growthTo = async (
  connection: Connection,
  { head }: Checkpoint,
  signal: AbortSignal
): Promise<Growth> => {
  const last = loadTrustedCheckpoint()
  if (!last) return 'first seen'
  const { head: before, key } = last.checkpoint
  if (before.origin !== head.origin) return { before: key.name }
  const [older, newer] = before.size <= head.size ? [before, head] : [head, before]
  const query = { from: older.size, to: newer.size }
  const answer = await connection.request('GET', '/v1/event/proof/consistency', { query, signal })
  const { Hashes } = await answer.json<{ readonly Hashes: readonly string[] }>()
  proveGrowth(older, newer, Hashes)
  return { size: before.size, seen: last.seen }
}

/** @throws Unproved, MalformedNote, RequestRefused, Unreachable */
export const prove = async (
  connection: Connection,
  version: Version,
  named: Query,
  signal: AbortSignal
): Promise<Proved> => {
  const { Index } = version
  const json = async <T>(path: string, query: Query): Promise<T> =>
    (await connection.request('GET', path, { query, signal })).json<T>()
  const checkpoint = await checkpointWith(connection, Index, signal)
  const { size } = checkpoint.head
  const leaf = await json<DisclosedLeaf>('/v1/event/leaf', { index: Index })
  const { Hashes } = await json<{ readonly Hashes: readonly string[] }>('/v1/event/proof/inclusion', {
    index: Index,
    size
  })
  if (!Array.isArray(Hashes)) throw new Unproved('the proof has no hashes')
  const { commit, withheld, erased } = openCommit(leaf, Index, Hashes, checkpoint)
  const same = compareWithView(leaf, commit.Time, version, named)
  const growth = await growthTo(connection, checkpoint, signal)
  const last = loadTrustedCheckpoint()?.checkpoint.head
  if (!last || last.origin !== checkpoint.head.origin || last.size < size) saveTrustedCheckpoint(checkpoint)
  return { checkpoint, same, withheld, erased, growth }
}
