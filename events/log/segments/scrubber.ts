// Reads the sealed segments again and again, so that damage is found before the commits are asked for.
import type { Disk } from '../disk-port.js'
import { LogDamage } from '../log.js'
import { readSegmentContent } from './index-files.js'
import type { Report } from '../report.js'
import type { Segment } from './segment.js'
import { messageOf } from '../../errors.js'

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
