// The lines of a bundle of evidence: a header, one line for each commit, and a trailer that shows whether the file is whole.
// docs/evidence.md describes them for those who check a bundle with a program of their own.
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import type { DisclosedLeaf } from '../../../events/log/evidence/open-leaf.js'

/** The format's name, in the first line. */
const EVIDENCE = 'evidence'
/** The version of the format: raised when older versions cannot read it. */
const FORMAT = 1

const index = Type.Integer({ minimum: 1 })
const hashes = Type.Array(Type.String(), { maxItems: 64 })

/** Which commits are in a bundle. Each of its members that is there narrows it. */
const selection = Type.Object({
  /** First and last index; for times those of the first and last commit within them. */
  From: index,
  To: Type.Integer({ minimum: 0 }),
  /** From which time on and up to which, RFC 3339. Then the commit before the first and the one after the last are there too. */
  FromTime: Type.Optional(Type.String()),
  ToTime: Type.Optional(Type.String()),
  /** Of these commits, those with an event about such a thing, and of each what it says of that alone. */
  Topic: Type.Optional(Type.String()),
  Key: Type.Optional(Type.String())
})

/** Which commits are in a bundle. */
export type BundleSelection = Readonly<Type.Static<typeof selection>>

const consistency = Type.Object({
  From: index,
  To: index,
  /** In the order of RFC 9162, in Base64. */
  Hashes: hashes
})

const header = Type.Object({
  Annals: Type.Literal(EVIDENCE),
  Format: Type.Literal(FORMAT),
  Selection: selection,
  /** Signed by the log, and by its witnesses. All proofs lead to it. */
  Checkpoint: Type.String(),
  /** Proofs that the tree of the checkpoint begins with earlier ones. */
  Consistency: Type.Array(consistency)
})

/** The first line. */
export type BundleHeader = Readonly<Type.Static<typeof header>>

const part = Type.Object({
  Kind: Type.String(),
  Salt: Type.Optional(Type.String()),
  Text: Type.Optional(Type.String()),
  Withheld: Type.Optional(Type.Literal(true)),
  Erased: Type.Optional(Type.Literal(true))
})

const commit = Type.Object({
  Index: index,
  Leaf: Type.String(),
  Parts: Type.Array(part),
  /** The path from the leaf to the root; absent in a bundle of all commits, which make the root themselves. */
  Hashes: Type.Optional(hashes)
})

/** A line of a commit. */
export interface BundledCommit extends DisclosedLeaf {
  readonly Hashes?: readonly string[]
}

/** Compiled, because it checks a line for each commit. */
const commits = Compile(commit)

export const headerLine = (fields: Omit<BundleHeader, 'Annals' | 'Format'>): string =>
  JSON.stringify({ Annals: EVIDENCE, Format: FORMAT, ...fields })

/** The header in a line; undefined when it is not one that this version reads. */
export const readHeader = (value: unknown): BundleHeader | undefined =>
  Value.Check(header, value) ? value : undefined

/** The commit in a line; undefined for any other line. */
export const readCommit = (value: unknown): BundledCommit | undefined =>
  commits.Check(value) ? value : undefined
