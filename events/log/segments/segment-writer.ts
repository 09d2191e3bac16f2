// Writes groups to the active segment, and continues in the next one when it is full or has failed.
import { writeAll, type Disk } from '../disk-port.js'
import type { RecordGroup } from '../record-group.js'
import { HistoryEntries } from '../history.js'
import type { WriteAdmission } from '../log.js'
import { StoreFull, WriteFailure, type Head } from '../store.js'
import {
  ActiveSegment,
  type ActiveSegmentOptions,
  isDiskFull,
  PREALLOCATED_BYTES,
  type PreallocatedSegments,
  withTimeout
} from './active-segment.js'
import {
  encodeSegmentHeader,
  formatOf,
  GROUPS_AT,
  RESERVE,
  roundUp,
  segmentName,
  type LogIdentity
} from './format.js'
import type { SegmentContent } from './index-file.js'
import { type Segment, GroupIndex } from './segment.js'
import { messageOf } from '../../errors.js'

/** A group is tried again in the next generation, once. */
const ATTEMPTS = 2

export interface WriterOptions extends ActiveSegmentOptions {
  readonly identity: LogIdentity
  readonly sectorBytes: number
}

/** Where a writer begins. */
interface WriterStart {
  readonly head: Head
  /** The newest of any segment. */
  readonly generation: number
  /** The segment to continue in; without one, `reopen` must precede the first write. */
  readonly active: ActiveSegment | undefined
  /** The newest segment, when it may not be written any more. */
  readonly left: ActiveSegment | undefined
  readonly supply: PreallocatedSegments
}

export interface WriterHost {
  /** Called when a segment becomes active; `sealed` is its predecessor if that holds commits. */
  onBegun(
    active: ActiveSegment,
    sealed: { readonly segment: Segment; readonly content: SegmentContent } | undefined
  ): void
  onFailure(text: string, cause: unknown): void
}

export class SegmentWriter {
  readonly #supply: PreallocatedSegments
  head: Head
  active: ActiveSegment | undefined
  #generation: number
  /** The segment before, when `active` had to be given up. */
  #left: ActiveSegment | undefined
  /** Whether the room in the active segment came from the reserve, and is for deletions. */
  #inReserve = false

  constructor(
    private readonly disk: Disk,
    private readonly options: WriterOptions,
    private readonly host: WriterHost,
    start: WriterStart
  ) {
    this.head = start.head
    this.#generation = start.generation
    this.active = start.active
    this.#left = start.left
    this.#supply = start.supply
  }

  /** Stores a group; see `RecordStore.write`. */
  async write(group: RecordGroup): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const active = await this.#roomFor(group)
      try {
        await active.put(group, this.head.index)
        break
      } catch (cause) {
        const text = `writing ${active.segment.name} failed: ${messageOf(cause)}`
        this.host.onFailure(text, cause)
        this.#leave()
        try {
          await this.#begin({ fails: true })
        } catch (failure) {
          this.host.onFailure(`the log cannot continue in a new file: ${messageOf(failure)}`, failure)
          throw new WriteFailure(text, 'unknown', { cause })
        }
        if (attempt === ATTEMPTS) throw new WriteFailure(text, 'unchanged', { cause })
      }
    }
    this.head = { index: group.last, hash: group.hash, version: group.version }
    this.#lookAhead()
  }

  /** See `RecordStore.reopen`. */
  async reopen(): Promise<Exclude<WriteAdmission, 'none'>> {
    await this.active?.settled()
    const active = this.active ?? (await this.#begin({ fails: true }))
    try {
      if (active.room < PREALLOCATED_BYTES) await this.#grow(active, PREALLOCATED_BYTES)
      await this.#supply.keepReserve()
      this.#inReserve = false
      return 'all'
    } catch (error) {
      if (!isDiskFull(error)) throw error
      return 'deletions'
    }
  }

  /** Resolves when nothing is being allocated. */
  async settled(): Promise<void> {
    await (this.active ?? this.#left)?.settled()
  }

  async close(): Promise<void> {
    await this.settled()
    await this.#supply.close()
    await (this.active ?? this.#left)?.file.close()
    this.active = undefined
  }

  /** Returns a segment with room for a group. A failure leaves the log unchanged, since nothing is written yet. @throws WriteFailure */
  async #roomFor(group: RecordGroup): Promise<ActiveSegment> {
    if (this.#inReserve && !group.frees) throw new StoreFull('the disk is full')
    const bytes = roundUp(group.size, this.options.sectorBytes)
    try {
      const newest = this.active ?? (await this.#begin({ fails: true }))
      const active = newest.isFilledBy(bytes) ? await this.#begin({}) : newest
      while (active.room < bytes) await this.#grow(active, bytes)
      return active
    } catch (cause) {
      if (!isDiskFull(cause)) throw new WriteFailure(messageOf(cause), 'unchanged', { cause })
      return this.#reservedRoom(group, bytes, cause)
    }
  }

  /** On a full disk a deletion takes the reserve. */
  async #reservedRoom(group: RecordGroup, bytes: number, cause: unknown): Promise<ActiveSegment> {
    if (!group.frees) throw new StoreFull('the disk is full', { cause })
    const left = Math.max(this.#supply.reserved - GROUPS_AT, 0)
    if (bytes > left)
      throw new StoreFull(
        `the disk is full: the deletion takes ${bytes} bytes in the log, and ${left} are left of what is reserved for deletions`,
        { cause }
      )
    try {
      return await this.#begin({ fromReserve: true })
    } catch (failure) {
      throw new WriteFailure(messageOf(failure), 'unchanged', { cause: failure })
    }
  }

  /** Allocates in the background what the next groups will need. */
  #lookAhead(): void {
    const active = this.active
    if (this.#inReserve || !active) return
    // The next group that needs the space reports a failure.
    if (active.isScarce) this.#grow(active, active.room + 1).catch(() => {})
    if (active.isNearlyFilled) this.#supply.prepare()
  }

  async #grow(active: ActiveSegment, room: number): Promise<void> {
    try {
      await active.grow(room)
    } catch (error) {
      // The zeros may come yet: nothing may be written where they would.
      if (!isDiskFull(error) && this.active === active) this.#leave()
      throw error
    }
  }

  /** Gives up the active segment: nothing is written to it any more. */
  #leave(): void {
    this.#left ??= this.active
    this.active = undefined
  }

  /**
   * Begins a segment behind the head. When it resolves, its header and name are on disk: what files of earlier generations hold above
   * the head is void from then on.
   * @param fails whether the segment before has failed, or ended with a crash
   * @param fromReserve whether the reserve may be used when the disk is full
   */
  async #begin({
    fails = false,
    fromReserve = fails
  }: {
    readonly fails?: boolean
    readonly fromReserve?: boolean
  }): Promise<ActiveSegment> {
    if (fails) this.#generation++
    try {
      return await withTimeout(this.options.patience, this.#beginNow(fromReserve))
    } catch (error) {
      // Perhaps a file of this generation has its name, or gets it yet.
      this.#generation++
      throw error
    }
  }

  async #beginNow(fromReserve: boolean): Promise<ActiveSegment> {
    const { identity, sectorBytes } = this.options
    const { index, hash, version } = this.head
    const header = {
      ...identity,
      format: formatOf(version),
      generation: this.#generation,
      first: index + 1,
      before: Buffer.from(hash),
      sectorBytes
    }
    const prepared = await this.#supply.take({ fromReserve })
    const { name, file, size } = prepared
    this.#leave()
    const segment: Segment = { ...header, name: segmentName(header), last: Infinity }
    const checkGeneration = (): void => {
      if (this.#generation !== header.generation) throw new Error('it took too long')
    }
    try {
      await writeAll(file, encodeSegmentHeader(header), 0)
      checkGeneration()
      await this.disk.rename(name, segment.name)
      await this.disk.flushNames()
      checkGeneration()
    } catch (error) {
      await this.#supply.discard(prepared)
      throw error
    }
    const active = new ActiveSegment(
      { segment, file, size, offset: GROUPS_AT, sparse: new GroupIndex(), entries: new HistoryEntries() },
      this.options
    )
    this.#inReserve = name === RESERVE
    this.active = active
    this.host.onBegun(active, this.#sealed())
    return active
  }

  /** What is left behind, if commits in it count. */
  #sealed(): { readonly segment: Segment; readonly content: SegmentContent } | undefined {
    const left = this.#left
    if (!left) return undefined
    this.#left = undefined
    // Not waited for: a write that hangs in it may never end.
    left.file.close().catch(() => {})
    const { segment, sparse, entries, offset: end } = left
    segment.last = this.head.index
    if (segment.last < segment.first) return undefined
    return { segment, content: { sparse, entries, end, hash: this.head.hash } }
  }
}
