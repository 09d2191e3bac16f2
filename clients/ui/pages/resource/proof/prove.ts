import type { Query } from '../../../../typescript/connection.js'
import type { DisclosedLeaf } from '../../../../../events/log/evidence/open-leaf.js'
import { client, readJson } from '../../../session/session.js'
import { parseExact } from '../../../session/exact-json.js'
import { fieldsOf, type Fields, type Version } from '../../../resources/kind.js'
import { Unproved, openCheckpoint, openCommit, proveGrowth, type Checkpoint } from './evidence.js'

// Compares the displayed version with the record of its commit.

/** Topics whose events the stream converts; some of their fields are not in the log. */
const ADAPTED = ['Node', 'Service']

interface RecordEvent {
  readonly head: Fields
  /** Undefined if withheld or erased. */
  readonly payload: Fields | undefined
}

const eventsOf = ({ Parts }: DisclosedLeaf): readonly RecordEvent[] => {
  const events: RecordEvent[] = []
  let head: Fields | undefined
  for (const { Kind, Text } of Parts) {
    if (Kind === 'Head') head = Text === undefined ? undefined : parseExact(Text)
    if (Kind === 'Payload' && head)
      events.push({ head, payload: Text === undefined ? undefined : parseExact(Text) })
  }
  return events
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0)

/** Returns one text for equal values, whatever the order of their fields. Logs store an integer beyond 2^53-1 as the text of its digits. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, function (this: object, name: string, inner: unknown) {
    const original: unknown = Reflect.get(this, name)
    if (typeof original === 'bigint') return String(original)
    return typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : inner
  })

/** Returns the names of the fields that differ, and of those that only the page has. */
const compared = (record: Fields, page: Fields, isAdapted: boolean): readonly [string[], string[]] => {
  const differ: string[] = []
  const added: string[] = []
  for (const name of new Set([...Object.keys(record), ...Object.keys(page)])) {
    if (isAdapted && !(name in page)) continue
    if (isAdapted && !(name in record)) added.push(name)
    else if (isAdapted && isEmpty(record[name]) && isEmpty(page[name])) continue
    else if (canonical(record[name]) !== canonical(page[name])) differ.push(name)
  }
  return [differ, added]
}

export interface ViewComparison {
  /** The record discloses the new state; otherwise it is withheld or erased. */
  readonly isOpen: boolean
  /** Fields of the page that the record does not have. */
  readonly added: readonly string[]
  /** The origin was compared, too. */
  readonly hasWho: boolean
}

/** @param leaf with a valid proof @throws Unproved if the page shows something else */
const compareWithView = (
  leaf: DisclosedLeaf,
  time: string,
  version: Version,
  named: Query
): ViewComparison => {
  if (version.Time !== time)
    throw new Unproved(`the commit was made at ${time}, and the page says ${version.Time}`)
  const who = leaf.Parts.find(({ Kind }) => Kind === 'Who')?.Text
  const { By } = version
  const hasWho = who !== undefined && By !== undefined
  if (hasWho) sameWho(parseExact(who), By)
  const { topic, key, ns = 'default', partition = 'default' } = named
  const about = eventsOf(leaf).filter(
    ({ head }) =>
      head['Topic'] === topic &&
      String(head['Key']).toLowerCase() === String(key).toLowerCase() &&
      ['', ns].includes(String(head['Namespace'])) &&
      (head['Partition'] ?? 'default') === partition &&
      head['Type'] === version.Type
  )
  if (about.length === 0) {
    const isWithheld = leaf.Parts.some(({ Kind, Withheld }) => Kind === 'Head' && Withheld)
    if (isWithheld) return { isOpen: false, added: [], hasWho }
    throw new Unproved('the commit contains no event of this resource')
  }
  const { Payload } = version
  const open = about.flatMap(({ payload }) => (payload ? [payload] : []))
  if (!Payload || open.length === 0) return { isOpen: false, added: [], hasWho }
  const isAdapted = ADAPTED.includes(String(topic))
  const results = open.map(payload => compared(fieldsOf(payload), fieldsOf(Payload), isAdapted))
  const [same] = results.filter(([differ]) => differ.length === 0)
  if (!same)
    throw new Unproved(
      `the page shows something else than the commit says: ${results[0]?.[0].join(', ')} ${results[0]?.[0].length === 1 ? 'is' : 'are'} different`
    )
  return { isOpen: true, added: same[1], hasWho }
}

const WHO = ['AccessorID', 'Address', 'RequestID', 'Command', 'Reason'] as const

const sameWho = (record: Fields, page: object): void => {
  for (const name of WHO) {
    const shown: unknown = Reflect.get(page, name)
    if (shown !== undefined && shown !== record[name])
      throw new Unproved(
        `the page says ${name} ${canonical(shown)}, and the commit ${canonical(record[name])}`
      )
  }
}

/** The newest validly signed checkpoint that this tab has seen. Later checkpoints must extend its log. */
const STORED_AS = 'annals-checkpoint'

interface StoredCheckpoint {
  readonly note: string
  readonly vkey: string
  readonly seen: number
}

/** Returns the checkpoint and the time of its verification in ms; undefined if none is stored, or it is invalid. */
const loadTrustedCheckpoint = () => {
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

const checkpointWith = async (index: number, signal: AbortSignal): Promise<Checkpoint> => {
  const text = async (path: string, query: Query = {}): Promise<string> =>
    (await client.value.connection.request('GET', path, { query, signal })).text()
  const vkey = await text(`${CHECKPOINT}/key`)
  const newest = openCheckpoint(await text(CHECKPOINT), vkey)
  // The next checkpoint contains the newest commits.
  return newest.head.size >= index ? newest : openCheckpoint(await text(CHECKPOINT, { size: index }), vkey)
}

interface Proof {
  readonly Hashes: readonly string[]
}

const growthTo = async ({ head }: Checkpoint, signal: AbortSignal): Promise<Growth> => {
  const last = loadTrustedCheckpoint()
  if (!last) return 'first seen'
  const { head: before, key } = last.checkpoint
  if (before.origin !== head.origin) return { before: key.name }
  const [older, newer] = before.size <= head.size ? [before, head] : [head, before]
  const query = { from: older.size, to: newer.size }
  const { Hashes } = await readJson<Proof>('/v1/event/proof/consistency', { query, signal })
  proveGrowth(older, newer, Hashes)
  return { size: before.size, seen: last.seen }
}

/** @throws Unproved, MalformedNote, RequestRefused, Unreachable */
export const prove = async (version: Version, named: Query, signal: AbortSignal): Promise<Proved> => {
  const { Index: index } = version
  const checkpoint = await checkpointWith(index, signal)
  const { size } = checkpoint.head
  const leaf = await readJson<DisclosedLeaf>('/v1/event/leaf', { query: { index }, signal })
  const query = { index, size }
  const { Hashes } = await readJson<Proof>('/v1/event/proof/inclusion', { query, signal })
  if (!Array.isArray(Hashes)) throw new Unproved('the proof has no hashes')
  const { commit, withheld, erased } = openCommit(leaf, index, Hashes, checkpoint)
  const same = compareWithView(leaf, commit.Time, version, named)
  const growth = await growthTo(checkpoint, signal)
  const last = loadTrustedCheckpoint()?.checkpoint.head
  if (!last || last.origin !== checkpoint.head.origin || last.size < size) saveTrustedCheckpoint(checkpoint)
  return { checkpoint, same, withheld, erased, growth }
}
