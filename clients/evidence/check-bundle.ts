// Verifies an evidence bundle with the log's public key and other trusted inputs only.
import { parseJson } from '../../events/values.js'
import { openLeafBy, type OpenedLeaf } from '../../events/log/evidence/open-leaf.js'
import { isEqual } from '../../events/log/evidence/platform.js'
import {
  logChangedError,
  ProofFailed,
  proofsBy,
  RootBuilderBy,
  type TreeState,
  type TrustedRoot
} from '../../events/log/evidence/proofs.js'
import { parseTime } from '../../events/time.js'
import { readCommit, readHeader, readTrailer, type BundledCommit, type BundleHeader } from './bundle-lines.js'
import { hashesOf, nodeHashBy, type VerifierPlatform } from './platform.js'
import { isGapless, isWhole, withholdingIn } from './selection.js'

interface BundleCheck {
  readonly platform: VerifierPlatform
  /** Verifies the checkpoint of a bundle, or throws. */
  readonly openCheckpoint: (note: string) => TreeState
  /** Trusted trees of the log. None is of a single commit. */
  readonly known: readonly TrustedRoot[]
  /** Receives each proved commit. In a bundle of all commits, this precedes the proof of the root. */
  readonly onCommit?: (leaf: OpenedLeaf) => void
}

export interface BundleReport {
  readonly tree: TreeState
  readonly commits: number
  /** Parts of which the bundle has only the hash. */
  readonly withheld: number
  readonly erased: number
  /** Of a selection by accessor: commits whose author was erased, which may be selected. */
  readonly unknownAuthors: number
  /** No commit of the selection is missing. Cannot be proved for a filtered selection that is not complete. */
  readonly isComplete: boolean
  readonly selection: BundleHeader['Selection']
}

const isBefore = (a: string, b: string): boolean => (parseTime(a) ?? NaN) < (parseTime(b) ?? NaN)

/** The tree over all commits of a log, which is compared with each trusted tree when it has its size. */
class GrowingTree {
  readonly #builder: RootBuilderBy<Uint8Array>
  #size = 0

  constructor(
    platform: VerifierPlatform,
    private readonly trusted: readonly TrustedRoot[]
  ) {
    this.#builder = new RootBuilderBy(nodeHashBy(platform))
  }

  get size(): number {
    return this.#size
  }

  /** @throws ProofFailed if the tree differs from a trusted one */
  add(hash: Uint8Array): void {
    this.#builder.add(hash)
    this.#size++
    for (const { source, index, hash: root } of this.trusted)
      if (index === this.#size && !isEqual(this.#builder.root, root)) throw logChangedError(source, index)
  }
}

const CHECKPOINT = 'the checkpoint in the bundle'

/** The state of a verification, line by line. */
class OpenBundle {
  /** Only for a bundle of all commits, which determine the root. */
  readonly #walked: GrowingTree | undefined
  readonly #proofs: ReturnType<typeof proofsBy>
  #oldest: OpenedLeaf | undefined
  #newest: OpenedLeaf | undefined
  #hasGap = false
  #commits = 0
  #withheld = 0
  #erased = 0
  #unknownAuthors = 0

  /** @throws Unproved if the tree is inconsistent with trusted inputs, or that cannot be proved */
  constructor(
    private readonly platform: VerifierPlatform,
    private readonly header: BundleHeader,
    private readonly tree: TreeState,
    known: readonly TrustedRoot[]
  ) {
    const own: TrustedRoot = { kind: 'tree', index: tree.size, hash: tree.root, source: CHECKPOINT }
    if (isWhole(header.Selection, tree.size)) this.#walked = new GrowingTree(platform, [...known, own])
    this.#proofs = proofsBy(nodeHashBy(platform))
    for (const each of known) this.#compare(each)
  }

  #compare({ source, index, hash }: TrustedRoot): void {
    const { size } = this.tree
    if (index > size)
      throw new ProofFailed(`the bundle is as of ${size} commits, and ${source} is newer: export another one`)
    if (this.#walked) return
    const older = { size: index, root: hash }
    const proof =
      older.size === 0 || older.size === size
        ? []
        : this.header.Consistency.find(({ From, To }) => From === older.size && To === size)?.Hashes
    if (!proof)
      throw new ProofFailed(
        `the bundle does not tell how its tree began with ${older.size} commits: export it with --checkpoint, or all commits`
      )
    if (!this.#proofs.isConsistent(older, this.tree, hashesOf(this.platform, proof)))
      throw logChangedError(source, index)
  }

  get commits(): number {
    return this.#commits
  }

  /** @throws Unproved */
  add(line: BundledCommit): OpenedLeaf {
    const { Index } = line
    const newest = this.#newest
    const leaf = openLeafBy(this.platform, line)
    if (newest && Index <= newest.commit.Index)
      throw new ProofFailed(`it stands behind commit ${newest.commit.Index}`)
    const isNext = newest?.commit.Index === Index - 1
    if (newest && isNext && !isEqual(newest.hash, leaf.before))
      throw new ProofFailed(`it does not name the hash of commit ${newest.commit.Index}`)
    this.#hasGap ||= newest !== undefined && !isNext
    if (this.#walked) {
      const next = this.#walked.size + 1
      if (Index !== next) throw new ProofFailed(`commit ${next} is missing`)
      if (Index > this.tree.size)
        throw new ProofFailed(`the tree of the checkpoint has ${this.tree.size} commits only`)
      this.#walked.add(leaf.hash)
    } else if (!this.#isIncluded(line, leaf))
      throw new ProofFailed(
        `the tree of the checkpoint, of ${this.tree.size} commits, does not have it there`
      )
    this.#checkDisclosure(line, leaf)
    this.#oldest ??= leaf
    this.#newest = leaf
    this.#commits++
    this.#withheld += leaf.withheld
    this.#erased += leaf.erased
    return leaf
  }

  #isIncluded({ Index, Hashes = [] }: BundledCommit, { hash }: OpenedLeaf): boolean {
    return this.#proofs.isIncluded({ index: Index - 1, hash }, this.tree, hashesOf(this.platform, Hashes))
  }

  /** @throws ProofFailed if a complete bundle withholds what its selection needs */
  #checkDisclosure(line: BundledCommit, leaf: OpenedLeaf): void {
    const { FromTime, ToTime, Accessor, Complete } = this.header.Selection
    const { Time } = leaf.commit
    // Neighbours of a time range prove nothing but the range.
    const isNeighbour =
      (FromTime !== undefined && isBefore(Time, FromTime)) || (ToTime !== undefined && isBefore(ToTime, Time))
    if (!Complete || isNeighbour) return
    const fault = withholdingIn(this.header.Selection, line, leaf)
    if (fault !== undefined) throw new ProofFailed(`the bundle says that it is complete, but ${fault}`)
    if (Accessor !== undefined && leaf.commit.By.Erased) this.#unknownAuthors++
  }

  /** @throws Unproved if the commits are not those of the tree */
  end(): BundleReport {
    const walked = this.#walked
    if (walked && walked.size < this.tree.size)
      throw new ProofFailed(
        `the log ends with commit ${walked.size}, and ${CHECKPOINT} tells of ${this.tree.size}: the end was cut off`
      )
    return {
      tree: this.tree,
      commits: this.#commits,
      withheld: this.#withheld,
      erased: this.#erased,
      unknownAuthors: this.#unknownAuthors,
      isComplete: walked !== undefined || this.#isComplete(),
      selection: this.header.Selection
    }
  }

  #isComplete(): boolean {
    const { Selection } = this.header
    const [first, last] = [this.#oldest?.commit, this.#newest?.commit]
    if (!isGapless(Selection) || this.#hasGap || !first || !last) return false
    const { From, To, FromTime, ToTime } = Selection
    const begins =
      FromTime === undefined ? first.Index === From : first.Index === 1 || isBefore(first.Time, FromTime)
    const ends =
      ToTime === undefined ? last.Index === To : last.Index === this.tree.size || isBefore(ToTime, last.Time)
    return begins && ends
  }
}

/** @throws Unproved MalformedNote naming what is not proved */
export async function checkBundle(
  lines: AsyncIterable<string>,
  { platform, openCheckpoint, known, onCommit }: BundleCheck
): Promise<BundleReport> {
  const digest = platform.linesDigest()
  let bundle: OpenBundle | undefined
  let report: BundleReport | undefined
  for await (const text of lines) {
    if (report) throw new ProofFailed('something follows the last line of the bundle')
    const value = parseJson(text)
    const trailer = bundle && readTrailer(value)
    if (!bundle) bundle = begin(platform, value, openCheckpoint, known)
    else if (!trailer) {
      const leaf = checked(bundle, value)
      onCommit?.(leaf)
    } else if (trailer.Commits === bundle.commits && trailer.SHA256 === digest.end()) report = bundle.end()
    else throw new ProofFailed('the bundle is not whole: its last line tells of other lines')
    if (!report) digest.add(text)
  }
  if (!report) throw new ProofFailed('the bundle is cut short')
  return report
}

function begin(
  platform: VerifierPlatform,
  value: unknown,
  openCheckpoint: BundleCheck['openCheckpoint'],
  known: readonly TrustedRoot[]
): OpenBundle {
  const header = readHeader(value)
  if (!header) throw new ProofFailed('it is no bundle of evidence that this version reads')
  return new OpenBundle(platform, header, openCheckpoint(header.Checkpoint), known)
}

function checked(bundle: OpenBundle, value: unknown): OpenedLeaf {
  const line = readCommit(value)
  if (!line) throw new ProofFailed(`line ${bundle.commits + 2} is no line of a bundle`)
  try {
    return bundle.add(line)
  } catch (error) {
    if (!(error instanceof ProofFailed)) throw error
    throw new ProofFailed(`commit ${line.Index} is not proved: ${error.message}`, { cause: error })
  }
}
