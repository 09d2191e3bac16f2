// The work on sealed segments in the background: packing and scrubbing.
import type { Disk } from '../disk-port.js'
import type { Report } from '../report.js'
import { type IndexFiles, readSegmentContent } from './index-files.js'
import { packSegment } from './pack.js'
import type { Segment } from './segment.js'
import { messageOf } from '../../errors.js'
import { LogDamage } from '../log.js'

// Packs sealed segments in the background, one at a time.

export class PackingProcess {
  /** Names of segments whose failure was reported. */
  readonly #reported = new Set<string>()
  #running: Promise<void> | undefined
  #again = false
  /** How many wait for it to pause. */
  #pauses = 0

  constructor(
    private readonly disk: Disk,
    private readonly indexes: IndexFiles,
    private readonly sealed: () => readonly Segment[],
    private readonly report: Report
  ) {}

  /** Packs the sealed segments that are not. */
  begin(): void {
    this.#again = true
    if (this.#pauses === 0) this.#running ??= this.#run().finally(() => (this.#running = undefined))
  }

  /** Resolves when nothing is being packed. */
  async idle(): Promise<void> {
    await this.#running
  }

  /** Does something while no segment is being packed. */
  async pauseFor<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++
    try {
      await this.#running
      return await work()
    } finally {
      this.#pauses--
      if (this.#again) this.begin()
    }
  }

  /** Ends when the segment is packed that is being packed, for good. */
  async stop(): Promise<void> {
    this.#pauses++
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#again) {
      this.#again = false
      const names = new Set(await this.disk.list())
      for (const segment of this.sealed()) {
        if (this.#pauses > 0) {
          this.#again = true
          return
        }
        if (names.has(segment.name)) await this.#pack(segment)
      }
    }
  }

  /** A segment that cannot be packed now is packed another time. */
  async #pack(segment: Segment): Promise<void> {
    try {
      await packSegment(this.disk, segment, await this.indexes.endOf(segment))
      this.#reported.delete(segment.name)
    } catch (error) {
      if (this.#reported.has(segment.name)) return
      this.#reported.add(segment.name)
      const text = messageOf(error)
      this.report({ level: 'error', text: `${segment.name} cannot be packed: ${text}` })
    }
  }
}

// Reads the sealed segments again and again, so that damage is found before the commits are asked for.

export class Scrubber {
  /** Messages of reported damage. */
  readonly #reported = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #next = 0
  #running: Promise<void> | undefined

  /** @param interval ms in which every sealed segment is read once; 0 for never */
  constructor(
    private readonly disk: Disk,
    private readonly segments: () => readonly Segment[],
    private readonly interval: number,
    private readonly report: Report
  ) {}

  /** Pieces of damage found. */
  get found(): number {
    return this.#reported.size
  }

  start(): void {
    if (this.interval === 0) return
    const wait = Math.min(this.interval / (this.segments().length + 1), MOST_WAIT)
    this.#timer = setTimeout(() => {
      this.#running = this.step().finally(() => {
        this.#running = undefined
        if (this.#timer) this.start()
      })
    }, wait).unref()
  }

  /** Reads the next segment completely and reports damage. Unreadable segments are retried later. */
  async step(): Promise<void> {
    const segments = this.segments()
    const segment = segments[this.#next++ % Math.max(segments.length, 1)]
    if (!segment) return
    try {
      await readSegmentContent(this.disk, segment, { withParts: true })
    } catch (error) {
      // It was pruned in the meantime.
      if (!this.segments().includes(segment)) return
      const text = messageOf(error)
      if (this.#reported.has(text)) return
      if (error instanceof LogDamage) this.#reported.add(text)
      this.report({ level: 'error', text: `a sealed segment was read again: ${text}` })
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#running
  }
}

/** The longest delay that a timer takes. */
const MOST_WAIT = 2 ** 31 - 1
