// A writer of a log on a simulated disk that compares acknowledgements with the later content.
import type { ExecutionContext } from 'ava'
import { LogFailure, LogUnusable } from '../../../events/log/log.js'
import { SegmentEventLog, type SegmentLogOptions } from '../../../events/log/segments/segment-event-log.js'
import { verifyChain } from '../../../events/log/verify.js'
import type { SimulatedDisk } from '../../support/simulated-disk.js'
import { collect, commitOf } from '../commits.js'

/** The smallest segments there are, so that a few commits fill some. */
export const SMALL = { segmentBytes: 288 * 1024, patience: 60_000 }

export const openOn = (
  disk: SimulatedDisk,
  options: Partial<SegmentLogOptions> = {}
): Promise<SegmentEventLog> => SegmentEventLog.open({ ...SMALL, path: disk.path, disk, ...options })

/** What became of each commit that was asked for, by a marker of its own. */
export class Account {
  readonly acknowledged = new Map<number, string>()
  readonly unchanged: string[] = []
  readonly unknown: string[] = []
  #attempts = 0

  /** Appends commits, `width` in flight, until one fails or there were so many. @returns whether all were acknowledged */
  async write(log: SegmentEventLog, count: number, { width = 4, size = 20_000 } = {}): Promise<boolean> {
    for (let done = 0; done < count; done += width) {
      const first = log.durableIndex + 1
      const appends = Array.from({ length: width }, (_, i) => this.#append(log, first + i, size))
      if ((await Promise.all(appends)).includes(false)) return false
    }
    return true
  }

  /** As `write`, and recovers after a failure, at most so often. */
  async writeOn(log: SegmentEventLog, count: number, recoveries = 3): Promise<void> {
    for (let left = recoveries; !(await this.write(log, count)) && left > 0; left--)
      await log.recover().catch((error: unknown) => {
        if (!(error instanceof LogFailure)) throw error
      })
  }

  async #append(log: SegmentEventLog, index: number, size: number): Promise<boolean> {
    const marker = `attempt-${++this.#attempts}`
    const secrets = { SecretID: marker }
    try {
      await log.append([commitOf(index, { marker, size, secrets })])
      this.acknowledged.set(index, marker)
      return true
    } catch (error) {
      if (!(error instanceof LogFailure)) throw error
      if (error.outcome === 'unknown') this.unknown.push(marker)
      else this.unchanged.push(marker)
      return false
    }
  }

  /**
   * Compares with what a log on this disk holds: all that was acknowledged, nothing that was refused as not changed, nothing else, and
   * nothing that does not hold.
   */
  async compare(t: ExecutionContext, disk: SimulatedDisk, about: string): Promise<void> {
    let log: SegmentEventLog
    try {
      log = await openOn(disk)
    } catch (error) {
      // Nothing was acknowledged yet, or the test damaged the log.
      if (error instanceof LogUnusable) return t.fail(`${about}: ${error.message}`)
      throw error
    }
    const { broken } = await verifyChain(log)
    if (broken) t.fail(`${about}: commit ${broken.index}: ${broken.reason}`)
    const refused = new Set(this.unchanged)
    const allowed = new Set([...this.acknowledged.values(), ...this.unknown])
    const kept = new Map((await collect(log.read(1))).map(({ Index, By }) => [Index, By.RequestID]))
    for (const [index, marker] of this.acknowledged)
      if (kept.get(index) !== marker)
        t.fail(`${about}: commit ${index} is ${kept.get(index)} in place of ${marker}`)
    for (const marker of kept.values()) {
      if (refused.has(marker)) t.fail(`${about}: ${marker} is there, and was refused as not changed`)
      if (!allowed.has(marker)) t.fail(`${about}: ${marker} is there, and was never appended`)
    }
    await log.append([commitOf(log.durableIndex + 1)])
    await log.close()
    t.pass()
  }
}
