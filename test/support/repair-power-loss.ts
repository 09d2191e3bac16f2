// Repairs a log on a simulated disk with power failures during the repair, and checks the result.
import { isDeepStrictEqual } from 'node:util'
import type { Commit } from '../../events/envelope.js'
import { LogUnusable } from '../../events/log/log.js'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { repair } from '../../events/log/segments/repair.js'
import { commitOf } from '../events/commits.js'
import { untilPacked } from './damage.js'
import type { Random } from './random.js'
import { SimulatedDisk } from './simulated-disk.js'

const SEGMENT = 288 * 1024
const COMMITS = 40
/** One call in so many captures a state. */
const TAKEN = 3
const TIME = '2026-01-02T03:04:05Z'

const commit = (index: number): Commit =>
  commitOf(index, { size: 20_000, secrets: { SecretID: `s-${index}` } })

const open = (disk: SimulatedDisk, compress = false): Promise<SegmentEventLog> =>
  SegmentEventLog.open({ path: disk.path, disk, segmentBytes: SEGMENT, compress })

/** Creates a log of several segments, whose sealed segments may be packed. */
async function written(random: Random): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk()
  const compress = random.below(2) === 0
  const log = await open(disk, compress)
  for (let index = 1; index <= COMMITS; index++) await log.append([commit(index)])
  if (compress) await untilPacked(disk)
  await log.close()
  return disk
}

const cutBehind = (disk: SimulatedDisk, to: number) =>
  repair(disk, { to, time: TIME, confirm: async () => true })

/** Reads a log as indexes of the written commits, with 0 for others. @throws Error when one was changed */
async function commitsIn(disk: SimulatedDisk): Promise<readonly number[]> {
  const log = await open(disk)
  try {
    const found: number[] = []
    for await (const each of log.read(1))
      if (each.By.Command === 'RepairLog') found.push(0)
      else if (isDeepStrictEqual(each, commit(each.Index))) found.push(each.Index)
      else throw new Error(`commit ${each.Index} is not what was appended`)
    return found
  } finally {
    await log.close()
  }
}

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, i) => i + 1)

/**
 * Interrupts a repair with power failures, and repeats it on the result.
 * @returns the number of checked states
 * @throws Error naming the state in which a commit to retain was missing, or the log was neither complete nor cut
 */
export async function playRepair(random: Random, block: number): Promise<number> {
  const disk = await written(random)
  const to = random.below(COMMITS + 1)
  const states: { readonly disk: SimulatedDisk; readonly moment: string }[] = []
  const repaired = disk.killed()
  repaired.hooks.after = ({ kind, name }) => {
    if (random.below(TAKEN) === 0)
      states.push({ disk: repaired.powerLoss(random, block), moment: `after ${kind} of ${name}` })
  }
  await cutBehind(repaired, to)
  for (const state of states) {
    const fail = (what: string, cause?: unknown): Error =>
      new Error(`power lost ${state.moment} of a repair to ${to}: ${what}`, { cause })
    let found: readonly number[] | undefined
    try {
      found = await commitsIn(state.disk.killed())
    } catch (error) {
      if (!(error instanceof LogUnusable)) throw fail('the log cannot be read', error)
    }
    const isWhole = found !== undefined && isDeepStrictEqual(found, upTo(COMMITS))
    const isCut = found !== undefined && isDeepStrictEqual(found, [...upTo(to), 0])
    if (found && !isWhole && !isCut) throw fail(`the log has commits ${found.join(', ')}`)
    await cutBehind(state.disk, to).catch((error: unknown) => {
      throw fail('it cannot be repaired again', error)
    })
    const again = await commitsIn(state.disk)
    if (!isDeepStrictEqual(again, [...upTo(to), 0]))
      throw fail(`repaired again, the log has commits ${again.join(', ')}`)
  }
  return states.length
}
