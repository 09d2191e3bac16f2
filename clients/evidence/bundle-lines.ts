// The lines of an evidence bundle (docs/reference/evidence.md): a header, one line per commit, and a trailer that proves completeness.
// Foreign lines are validated without a library, since the strict policy of the pages forbids compiled validators.
import type { DisclosedLeaf, DisclosedPart } from '../../events/log/evidence/open-leaf.js'
import { isObject } from '../../events/values.js'

const EVIDENCE = 'evidence'
/** Format version, raised when older versions cannot read the format. */
const FORMAT = 1

/** The commits in a bundle. Each member narrows the selection. */
export interface BundleSelection {
  /** First and last index; for times, those of the first and last commit within them. */
  readonly From: number
  readonly To: number
  /** Time range, RFC 3339. The commits directly before and after the range are then included. */
  readonly FromTime?: string
  readonly ToTime?: string
  /** Selects commits with an event about this resource, and only their parts about it. */
  readonly Topic?: string
  readonly Key?: string
  /** Selects commits of this token. */
  readonly Accessor?: string
  /** Selects commits with an event in this namespace, and only their parts about it. */
  readonly Namespace?: string
  /** The bundle has all commits of the range; those not selected without their payloads. */
  readonly Complete?: true
}

interface Consistency {
  readonly From: number
  readonly To: number
  /** As in RFC 9162, in Base64. */
  readonly Hashes: readonly string[]
}

export interface BundleHeader {
  readonly Annals: typeof EVIDENCE
  readonly Format: typeof FORMAT
  readonly Selection: BundleSelection
  /** Signed by the log and its witnesses. All proofs lead to it. */
  readonly Checkpoint: string
  /** Proofs of consistency with earlier trees. */
  readonly Consistency: readonly Consistency[]
}

export interface BundledCommit extends DisclosedLeaf {
  /** The path from the leaf to the root; absent in a bundle of all commits, which determine the root. */
  readonly Hashes?: readonly string[]
}

interface Trailer {
  /** Number of commit lines. */
  readonly Commits: number
  /** SHA-256, hex, of all preceding bytes. */
  readonly SHA256: string
}

/** Bounds the work of a foreign proof. */
const MOST_HASHES = 64

type Check = (value: unknown) => boolean

const isText: Check = value => typeof value === 'string'
const isTrue: Check = value => value === true
const isFrom =
  (least: number): Check =>
  value =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least
const optional =
  (check: Check): Check =>
  value =>
    value === undefined || check(value)
const isList =
  (check: Check, most = Infinity): Check =>
  value =>
    Array.isArray(value) && value.length <= most && value.every(check)
const hasFields =
  (fields: Readonly<Record<string, Check>>): Check =>
  value =>
    isObject(value) && Object.entries(fields).every(([name, check]) => check(value[name]))

type Fields<Line> = Readonly<Record<keyof Line & string, Check>>
const isHashes = isList(isText, MOST_HASHES)

const selection: Fields<BundleSelection> = {
  From: isFrom(1),
  To: isFrom(0),
  FromTime: optional(isText),
  ToTime: optional(isText),
  Topic: optional(isText),
  Key: optional(isText),
  Accessor: optional(isText),
  Namespace: optional(isText),
  Complete: optional(isTrue)
}
const consistency: Fields<Consistency> = { From: isFrom(1), To: isFrom(1), Hashes: isHashes }
const header: Fields<BundleHeader> = {
  Annals: value => value === EVIDENCE,
  Format: value => value === FORMAT,
  Selection: hasFields(selection),
  Checkpoint: isText,
  Consistency: isList(hasFields(consistency))
}
const part: Fields<DisclosedPart> = {
  Kind: isText,
  Salt: optional(isText),
  Text: optional(isText),
  Withheld: optional(isTrue),
  Erased: optional(isTrue),
  Hash: optional(isText)
}
const commit: Fields<BundledCommit> = {
  Index: isFrom(1),
  Leaf: isText,
  Parts: isList(hasFields(part)),
  Hashes: optional(isHashes)
}
const trailer: Fields<Trailer> = {
  Commits: isFrom(0),
  SHA256: value => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

const isHeader = (value: unknown): value is BundleHeader => hasFields(header)(value)
const isCommit = (value: unknown): value is BundledCommit => hasFields(commit)(value)
const isTrailer = (value: unknown): value is Trailer => hasFields(trailer)(value)

export const headerLine = (fields: Omit<BundleHeader, 'Annals' | 'Format'>): string =>
  JSON.stringify({ Annals: EVIDENCE, Format: FORMAT, ...fields })

export const readHeader = (value: unknown): BundleHeader | undefined => (isHeader(value) ? value : undefined)

export const readCommit = (value: unknown): BundledCommit | undefined => (isCommit(value) ? value : undefined)

export const trailerLine = (fields: Trailer): string => JSON.stringify(fields)

export const readTrailer = (value: unknown): Trailer | undefined => (isTrailer(value) ? value : undefined)
