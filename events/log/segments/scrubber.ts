// Reads the sealed segments again and again, so that damage is found before the commits are asked for.
import type { Disk } from '../disk-port.js'
import { LogDamage } from '../log.js'
import { readSegmentContent } from './index-files.js'
import type { Report } from '../report.js'
import type { Segment } from './segment.js'
import { messageOf } from '../../errors.js'

export class Scrubber {
  /** Messages of the damage that was told: each is told once. */
  readonly #told = new Set<string>()
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
    return this.#told.size
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

  /** Reads the next segment from end to end. Damage is told; a segment that cannot be read now is read another time. */
  async step(): Promise<void> {
    const segments = this.segments()
    const segment = segments[this.#next++ % Math.max(segments.length, 1)]
    if (!segment) return
    try {
      await readSegmentContent(this.disk, segment, { withParts: true })
    } catch (error) {
      // It was let go meanwhile.
      if (!this.segments().includes(segment)) return
      const text = messageOf(error)
      if (this.#told.has(text)) return
      if (error instanceof LogDamage) this.#told.add(text)
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
