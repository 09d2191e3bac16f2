// The lines of an evidence bundle (docs/reference/evidence.md): a header, one line per commit, and a trailer that proves completeness.
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import type { DisclosedLeaf } from '../../../events/log/evidence/open-leaf.js'

const EVIDENCE = 'evidence'
/** Format version, raised when older versions cannot read the format. */
const FORMAT = 1

const index = Type.Integer({ minimum: 1 })
const hashes = Type.Array(Type.String(), { maxItems: 64 })

/** The commits in a bundle. Each member narrows the selection. */
const selection = Type.Object({
  /** First and last index; for times, those of the first and last commit within them. */
  From: index,
  To: Type.Integer({ minimum: 0 }),
  /** Time range, RFC 3339. The commits directly before and after the range are then included. */
  FromTime: Type.Optional(Type.String()),
  ToTime: Type.Optional(Type.String()),
  /** Selects commits with an event about this resource, and only their parts about it. */
  Topic: Type.Optional(Type.String()),
  Key: Type.Optional(Type.String()),
  /** Selects commits of this token. */
  Accessor: Type.Optional(Type.String()),
  /** Selects commits with an event in this namespace, and only their parts about it. */
  Namespace: Type.Optional(Type.String()),
  /** The bundle has all commits of the range; those not selected without their payloads. */
  Complete: Type.Optional(Type.Literal(true))
})

export type BundleSelection = Readonly<Type.Static<typeof selection>>

const consistency = Type.Object({
  From: index,
  To: index,
  /** As in RFC 9162, in Base64. */
  Hashes: hashes
})

const header = Type.Object({
  Annals: Type.Literal(EVIDENCE),
  Format: Type.Literal(FORMAT),
  Selection: selection,
  /** Signed by the log and its witnesses. All proofs lead to it. */
  Checkpoint: Type.String(),
  /** Proofs of consistency with earlier trees. */
  Consistency: Type.Array(consistency)
})

export type BundleHeader = Readonly<Type.Static<typeof header>>

const part = Type.Object({
  Kind: Type.String(),
  Salt: Type.Optional(Type.String()),
  Text: Type.Optional(Type.String()),
  Withheld: Type.Optional(Type.Literal(true)),
  Erased: Type.Optional(Type.Literal(true)),
  Hash: Type.Optional(Type.String())
})

const commit = Type.Object({
  Index: index,
  Leaf: Type.String(),
  Parts: Type.Array(part),
  /** The path from the leaf to the root; absent in a bundle of all commits, which determine the root. */
  Hashes: Type.Optional(hashes)
})

export interface BundledCommit extends DisclosedLeaf {
  readonly Hashes?: readonly string[]
}

const commits = Compile(commit)

export const headerLine = (fields: Omit<BundleHeader, 'Annals' | 'Format'>): string =>
  JSON.stringify({ Annals: EVIDENCE, Format: FORMAT, ...fields })

export const readHeader = (value: unknown): BundleHeader | undefined =>
  Value.Check(header, value) ? value : undefined

export const readCommit = (value: unknown): BundledCommit | undefined =>
  commits.Check(value) ? value : undefined
