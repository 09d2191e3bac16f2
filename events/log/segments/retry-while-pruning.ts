// Copies of a log during pruning.
import type { Disk } from '../disk-port.js'
import { LogUnusable } from '../log.js'
import { segmentsIn } from './segment-files.js'

/** How many times a copy is made before it is given up. */
const TRIES = 5

const oldestIn = async (disk: Disk): Promise<string | undefined> =>
  segmentsIn(await disk.list()).toSorted()[0]

/**
 * Copies a log and repeats the copy if commits were pruned meanwhile, because the base snapshot may be newer than the
 * copy's last commit.
 * @param copy must take what the log is now each time
 * @throws LogUnusable when they went each time
 */
export async function retryWhilePruning<T>(disk: Disk, copy: () => Promise<T>): Promise<T> {
  let cause: unknown
  for (let tries = 0; tries < TRIES; tries++) {
    const oldest = await oldestIn(disk)
    const isOvertaken = async (): Promise<boolean> => (await oldestIn(disk)) !== oldest
    try {
      const made = await copy()
      if (!(await isOvertaken())) return made
    } catch (error) {
      if (!(await isOvertaken())) throw error
      cause = error
    }
  }
  throw new LogUnusable(
    `the oldest commits went while the log was copied, ${TRIES} times (log.retain): try again`,
    { cause }
  )
}
