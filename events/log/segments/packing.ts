// Packs sealed segments in the background, one at a time.
import type { Disk } from '../disk.js'
import type { Report } from '../report.js'
import type { Indexes } from './indexes.js'
import { packSegment } from './pack.js'
import type { Segment } from './segment.js'

export class Packing {
  readonly #disk: Disk
  readonly #indexes: Indexes
  readonly #report: Report
  /** Names of segments that need not be looked at again: packed, or told of. */
  readonly #done = new Set<string>()
  #running: Promise<void> | undefined

  constructor(disk: Disk, indexes: Indexes, report: Report) {
    this.#disk = disk
    this.#indexes = indexes
    this.#report = report
  }

  /** Begins to pack those of these segments that are not, unless that is being done. */
  begin(sealed: readonly Segment[]): void {
    if (sealed.every(({ name }) => this.#done.has(name))) return
    this.#running ??= this.#packAll(sealed).finally(() => (this.#running = undefined))
  }

  /** Resolves when nothing is being packed. */
  async end(): Promise<void> {
    await this.#running
  }

  async #packAll(sealed: readonly Segment[]): Promise<void> {
    const names = new Set(await this.#disk.list())
    for (const segment of sealed) {
      if (this.#done.has(segment.name)) continue
      this.#done.add(segment.name)
      if (!names.has(segment.name)) continue
      try {
        await packSegment(this.#disk, segment, await this.#indexes.endOf(segment))
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error)
        this.#report({ level: 'error', text: `${segment.name} cannot be packed: ${text}` })
      }
    }
  }
}
