// Whatever failed, and how often: as soon as the disk works, the log takes writes again.
import test from 'ava'
import { LogFailure } from '../../../events/log/log.js'
import { seeded, type Random } from '../../support/random.js'
import { SimulatedDisk, diskError, type DiskHooks } from '../../support/simulated-disk.js'
import { commitOf } from '../commits.js'
import { openOn } from './workload.js'
import { runs } from '../../support/property-runs.js'

/** How often the log is asked to recover while the disk works. */
const TRIES = 3

type Fails = NonNullable<DiskHooks['before']>

/** Fails one call of so many, in any way. */
const anyFault =
  (random: Random, often: number): Fails =>
  ({ kind, length = 0 }) => {
    if (kind === 'unlink' || random.below(often) > 0) return undefined
    const isWrite = kind === 'write' || kind === 'allocate'
    switch (random.below(4)) {
      case 0:
        return { error: diskError('EIO'), reaches: isWrite ? random.below(length + 1) : 0 }
      case 1:
        return kind === 'read' ? undefined : { error: diskError('ENOSPC') }
      case 2:
        return isWrite && length > 1 ? random.below(length) : undefined
      default:
        return kind === 'open' ? { error: diskError('EMFILE') } : undefined
    }
  }

/** Writes while calls fail, recovers and writes again. @returns what failed last when the disk works and the log does not */
const stuck = async (random: Random): Promise<string | undefined> => {
  let fails: Fails | undefined
  const disk = new SimulatedDisk('/simulated', { before: call => fails?.(call) })
  const log = await openOn(disk)
  const attempt = async (size: number): Promise<void> => {
    await log.append([commitOf(log.durableIndex + 1, { size })], { frees: random.below(4) === 0 })
  }
  const tolerated = async (act: () => Promise<unknown>): Promise<unknown> => {
    try {
      await act()
      return undefined
    } catch (error) {
      return error
    }
  }
  try {
    for (let period = 0; period < 4; period++) {
      fails = anyFault(random, 1 + random.below(6))
      for (let i = 0; i < 12; i++)
        if (await tolerated(() => attempt(1 + random.below(150_000)))) await tolerated(() => log.recover())
      fails = undefined
      let failure: unknown
      for (let i = 0; i < TRIES; i++) {
        failure = await tolerated(async () => {
          const room = await log.recover()
          if (room !== 'all') throw new LogFailure(`it takes ${room}`)
          await attempt(1000)
        })
        if (failure === undefined) break
      }
      if (failure !== undefined)
        return failure instanceof Error ? (failure.stack ?? failure.message) : 'unknown'
    }
    const left = (await disk.list()).filter(name => name.startsWith('next-'))
    return left.length > 3 ? `files were left behind: ${left.join(', ')}` : undefined
  } finally {
    await log.close()
  }
}

test('a log takes writes again as soon as its disk works, whatever failed before', async t => {
  for (let seed = 0; seed < runs(60); seed++) t.is(await stuck(seeded(seed)), undefined, `seed ${seed}`)
})
