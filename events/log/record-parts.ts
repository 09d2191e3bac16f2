// The bytes of a record: its header, and whether its parts are those that were written.
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { binaryNodeHash } from './evidence/merkle.js'
import { RootBuilderBy } from './evidence/proofs.js'
import { readNumber } from './numbers.js'
import * as format from './record-format.js'

export interface StoredPart {
  readonly kind: number
  readonly number: number
  /** Byte of its frame. */
  readonly frame: number
  /** Bytes of its salt and body. */
  readonly start: number
  readonly end: number
}

const uncommitted = ({ number }: StoredPart): string => `part ${number} is not what the header commits to`

export class RecordParts {
  readonly index: number

  protected constructor(
    readonly bytes: Buffer,
    readonly version: format.RecordVersion,
    protected readonly count: number,
    protected readonly headerAt: number,
    protected readonly headerEnd: number,
    /** Whether all its bytes are those that were written: its own checksums need not be looked at. */
    readonly isChecked: boolean,
    /** Of a record that was verified as a whole. */
    private readonly knownHash?: Buffer
  ) {
    this.index = readNumber(bytes, headerAt + format.INDEX_AT)
  }

  get time(): string {
    const at = this.headerAt + format.TIME_AT
    return this.bytes.toString('utf8', at, at + this.#timeLength)
  }

  /** The hash of the record before it that it names. */
  get before(): Buffer {
    const at = this.headerAt + format.PREVIOUS_HASH_AT
    return this.bytes.subarray(at, at + format.HASH)
  }

  /** The header: what stands for the commit in the tree. */
  get leaf(): Buffer {
    return this.bytes.subarray(this.headerAt, this.headerEnd)
  }

  /** What the record after it names: the SHA-256 of 0x00 and the header. */
  get hash(): Buffer {
    return this.knownHash ?? Buffer.from(this.binaryHash, 'binary')
  }

  /** Its hash, computed, as a binary string. */
  get binaryHash(): string {
    return hash('sha256', this.bytes.subarray(this.headerAt - format.LEAF_PREFIX, this.headerEnd), 'binary')
  }

  /**
   * What is wrong with the record by its checksums, as a clause; undefined for nothing.
   * @param isChecked whether its parts are verified by other means
   */
  fault(isChecked = this.isChecked): string | undefined {
    const { bytes } = this
    if (this.knownHash) return undefined
    if (bytes[this.headerAt] !== this.version)
      return `the record is of version ${bytes[this.headerAt]}, and its framing of version ${this.version}`
    let last = this.headerEnd
    for (const part of this.parts()) {
      const { number, frame, start, end } = part
      last = end
      if (end > bytes.length) return `part ${number} is not there`
      if (isChecked || this.holds(frame, start, end) || this.isErased(part)) continue
      return `the checksum of part ${number} does not hold`
    }
    return last === bytes.length ? undefined : 'its parts are shorter than it is'
  }

  /** Whether a part is what was written, by its checksum, or by its commitment where there is none. */
  holds(frame: number, start: number, end: number): boolean {
    const { bytes } = this
    if (end > bytes.length) return false
    if (this.version === 1)
      return (
        bytes[frame + format.PART_STATE_AT] === format.PRESENT &&
        crc32(bytes.subarray(start, end)) === bytes.readUInt32BE(frame + format.CRC_AT)
      )
    return this.#hasCommitment(this.#commitmentAt(frame), frame, start, end)
  }

  /** Version 2. */
  #commitmentAt(frame: number): string {
    const at = frame + format.COMMITMENT_AT
    return this.bytes.toString('binary', at, at + format.HASH)
  }

  /** Version 2. */
  #hasCommitment(commitment: string, frame: number, start: number, end: number): boolean {
    const { bytes } = this
    return (
      end <= bytes.length &&
      bytes[start - 1] === bytes[frame + format.KIND_AT] &&
      hash('sha256', bytes.subarray(start - format.PART_PREFIX[2], end), 'binary') === commitment
    )
  }

  /**
   * What is wrong with the parts by the header's commitments, as a clause; undefined for nothing. Costs a hash for each. A part that was
   * erased is what the header allows: whether it may be is for `erasedParts` to tell.
   */
  brokenCommitment(): string | undefined {
    return this.version === 1 ? this.#brokenInHeader() : this.#brokenUnderRoot()
  }

  /** Version 1, whose header has the commitments. */
  #brokenInHeader(): string | undefined {
    for (const part of this.parts()) {
      const { number, start, end } = part
      const commitment = this.#partsAt + number * format.COMMITMENT
      const isCommitted =
        hash('sha256', this.bytes.subarray(start, end), 'binary') ===
        this.bytes.toString('binary', commitment + 1, commitment + format.COMMITMENT)
      if (!isCommitted && !this.isErased(part)) return uncommitted(part)
    }
    return undefined
  }

  /** Version 2, whose header has the root over the commitments, and the number of parts and of events. */
  #brokenUnderRoot(): string | undefined {
    const { bytes, count } = this
    const root = new RootBuilderBy(binaryNodeHash)
    let events = 0
    for (const part of this.parts()) {
      const commitment = this.#commitmentAt(part.frame)
      if (!this.#hasCommitment(commitment, part.frame, part.start, part.end) && !this.isErased(part))
        return uncommitted(part)
      root.add(commitment)
      if (part.kind === format.EVENT_METADATA_PART) events++
    }
    const summary = this.#partsAt
    const isSummaryRight =
      count > 0 &&
      summary + format.SUMMARY === this.headerEnd &&
      bytes.readUInt32BE(summary) === events &&
      bytes.readUInt32BE(summary + format.PART_COUNT_AT) === count &&
      root.root === bytes.toString('binary', summary + format.ROOT_AT, this.headerEnd)
    return isSummaryRight ? undefined : 'its parts are not those that the header commits to'
  }

  /** Commitments of its parts, which version 2 has outside the header. */
  get commitments(): readonly Buffer[] | undefined {
    if (this.version === 1) return undefined
    return Array.from({ length: this.count }, (_, part) => {
      const at = format.PARTS_AT + part * format.PART_FRAME[2] + format.COMMITMENT_AT
      return this.bytes.subarray(at, at + format.HASH)
    })
  }

  protected kindOf(number: number, frame: number): number {
    const at = this.version === 1 ? this.#partsAt + number * format.COMMITMENT : frame + format.KIND_AT
    return this.bytes[at] ?? 0
  }

  get #timeLength(): number {
    return this.bytes[this.headerAt + format.TIME_LENGTH_AT] ?? 0
  }

  /** Byte behind the time. */
  get #partsAt(): number {
    return this.headerAt + format.TIME_AT + this.#timeLength
  }

  protected *parts(): Generator<StoredPart> {
    const { bytes, count } = this
    const prefix = format.PART_PREFIX[this.version]
    let end = this.headerEnd
    for (let number = 0, frame = format.PARTS_AT; number < count; number++) {
      const start = end + prefix
      end = start + bytes.readUInt32BE(frame)
      yield { kind: this.kindOf(number, frame), number, frame, start, end }
      frame += format.PART_FRAME[this.version]
    }
  }

  protected isErased({ start, end }: StoredPart): boolean {
    return this.bytes[start] === format.ERASED_BYTE && format.isErased(this.bytes.subarray(start, end))
  }
}
