// Packs sealed segments in the background, one at a time.
import type { Disk } from '../disk-port.js'
import type { Report } from '../report.js'
import type { IndexFiles } from './index-files.js'
import { packSegment } from './pack.js'
import type { Segment } from './segment.js'
import { messageOf } from '../../errors.js'

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
