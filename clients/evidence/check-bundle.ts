// Verifies an evidence bundle with the log's public key and other trusted inputs only.
import { hashFromBase64 } from '../../events/log/evidence/base64.js'
import { openLeaf } from '../../events/log/evidence/leaf.js'
import type { OpenedLeaf } from '../../events/log/evidence/open-leaf.js'
import { isConsistent, isIncluded } from '../../events/log/evidence/merkle.js'
import { ProofFailed, type TreeState } from '../../events/log/evidence/proofs.js'
import {
  logChangedError,
  RecomputedTree,
  type TrustedRoot
} from '../../events/log/evidence/recomputed-tree.js'
import { parseTime } from '../../events/time.js'
import { LinesDigest, readTrailer } from '../../server/commands/export-lines.js'
import { readCommit, readHeader, type BundledCommit, type BundleHeader } from './bundle-lines.js'
import { isGapless, isWhole, withholdingIn } from './selection.js'

interface BundleCheck {
  /** Verifies the checkpoint of a bundle, or throws. */
  readonly openCheckpoint: (note: Uint8Array) => TreeState
  /** Trusted trees of the log. */
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

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const hashesOf = (texts: readonly string[]): readonly Buffer[] =>
  texts.map(text => {
    const hash = hashFromBase64(text)
    if (!hash) throw new ProofFailed(`${JSON.stringify(text)} is no SHA-256 hash in Base64`)
    return hash
  })

const isBefore = (a: string, b: string): boolean => (parseTime(a) ?? NaN) < (parseTime(b) ?? NaN)

/** The state of a verification, line by line. */
class OpenBundle {
  /** Only for a bundle of all commits, which determine the root. */
  readonly #walked: RecomputedTree | undefined
  #oldest: OpenedLeaf<Buffer> | undefined
  #newest: OpenedLeaf<Buffer> | undefined
  #hasGap = false
  #commits = 0
  #withheld = 0
  #erased = 0
  #unknownAuthors = 0

  /** @throws Unproved if the tree is inconsistent with trusted inputs, or that cannot be proved */
  constructor(
    private readonly header: BundleHeader,
    private readonly tree: TreeState,
    private readonly known: readonly TrustedRoot[],
    walked: RecomputedTree
  ) {
    this.#walked = isWhole(header.Selection, tree.size) ? walked : undefined
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
    if (!isConsistent(older, this.tree, hashesOf(proof))) throw logChangedError(source, index)
  }

  get commits(): number {
    return this.#commits
  }

  /** @throws Unproved */
  add(line: BundledCommit): OpenedLeaf<Buffer> {
    const { Index } = line
    const newest = this.#newest
    const leaf = openLeaf(line)
    if (newest && Index <= newest.commit.Index)
      throw new ProofFailed(`it stands behind commit ${newest.commit.Index}`)
    const isNext = newest?.commit.Index === Index - 1
    if (newest && isNext && !newest.hash.equals(leaf.before))
      throw new ProofFailed(`it does not name the hash of commit ${newest.commit.Index}`)
    this.#hasGap ||= newest !== undefined && !isNext
    if (this.#walked) {
      const next = this.#walked.size + 1
      if (Index !== next) throw new ProofFailed(`commit ${next} is missing`)
      this.#walked.add(leaf.hash)
    } else if (!isIncluded({ index: Index - 1, hash: leaf.hash }, this.tree, hashesOf(line.Hashes ?? [])))
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

  /** @throws Unproved if the commits do not result in the tree */
  async end(): Promise<BundleReport> {
    const { size, root } = this.tree
    const walked = this.#walked
    const own: TrustedRoot = { kind: 'tree', index: size, hash: root, source: 'the checkpoint in the bundle' }
    if (walked) for (const pin of [...this.known, own]) await walked.check(pin)
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
  { openCheckpoint, known, onCommit }: BundleCheck
): Promise<BundleReport> {
  const digest = new LinesDigest()
  let bundle: OpenBundle | undefined
  let report: BundleReport | undefined
  for await (const text of lines) {
    if (report) throw new ProofFailed('something follows the last line of the bundle')
    const value = jsonOf(text)
    const trailer = bundle && readTrailer(value)
    if (!bundle) bundle = await begin(value, openCheckpoint, known)
    else if (!trailer) {
      const leaf = checked(bundle, value)
      onCommit?.(leaf)
    } else if (trailer.Commits === bundle.commits && trailer.SHA256 === digest.end())
      report = await bundle.end()
    else throw new ProofFailed('the bundle is not whole: its last line tells of other lines')
    if (!report) digest.add(text)
  }
  if (!report) throw new ProofFailed('the bundle is cut short')
  return report
}

async function begin(
  value: unknown,
  openCheckpoint: BundleCheck['openCheckpoint'],
  known: readonly TrustedRoot[]
): Promise<OpenBundle> {
  const header = readHeader(value)
  if (!header) throw new ProofFailed('it is no bundle of evidence that this version reads')
  const tree = openCheckpoint(Buffer.from(header.Checkpoint))
  return new OpenBundle(header, tree, known, await RecomputedTree.begin(0, undefined))
}

function checked(bundle: OpenBundle, value: unknown): OpenedLeaf<Buffer> {
  const line = readCommit(value)
  if (!line) throw new ProofFailed(`line ${bundle.commits + 2} is no line of a bundle`)
  try {
    return bundle.add(line)
  } catch (error) {
    if (!(error instanceof ProofFailed)) throw error
    throw new ProofFailed(`commit ${line.Index} is not proved: ${error.message}`, { cause: error })
  }
}
