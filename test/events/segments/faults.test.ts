// Each call to the disk fails once, in each way, and also from then on: nothing acknowledged is lost, and nothing that was refused as
// not changed is there afterwards.
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { LogUnusable } from '../../../events/log/log.js'
import type { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import {
  SimulatedDisk,
  diskError,
  type DiskCall,
  type DiskHooks,
  type Fault
} from '../../support/simulated-disk.js'
import { Account, openOn } from './workload.js'

/** What a call does in place of what it should. */
type Way = (call: DiskCall) => Fault | number | undefined

const isWrite = ({ kind }: DiskCall): boolean => kind === 'write' || kind === 'allocate'

const ways: Readonly<Record<string, Way>> = {
  EIO: () => ({ error: diskError('EIO') }),
  'EIO after the write': ({ length = 0 }) => ({ error: diskError('EIO'), reaches: length }),
  'EIO after half of the write': ({ length = 0 }) => ({ error: diskError('EIO'), reaches: length / 2 }),
  ENOSPC: call => (call.kind === 'read' ? undefined : { error: diskError('ENOSPC') }),
  EMFILE: ({ kind }) => (kind === 'open' ? { error: diskError('EMFILE') } : undefined),
  'a short write': call => (isWrite(call) ? Math.floor((call.length ?? 0) / 3) : undefined)
}

const HANGS: Fault = { error: diskError('EIO') }

/** How long the log waits, and how long a call takes that hangs, in ms. */
const PATIENCE = 2
const HANG = 10

/** Two lives of a log: it is written and killed, and recovered and written again. The calls from one number up to another go wrong. */
async function play(way: Way, from: number, to: number): Promise<Played> {
  let calls = 0
  const hanging: Promise<void>[] = []
  const before: DiskHooks['before'] = async call => {
    calls++
    const fault = calls >= from && calls < to ? way(call) : undefined
    if (fault !== HANGS) return fault
    const late = pause(HANG)
    hanging.push(late)
    await late
    return undefined
  }
  const account = new Account()
  const logs: SegmentEventLog[] = []
  const live = async (disk: SimulatedDisk): Promise<void> => {
    try {
      const log = await openOn(disk, { patience: way === hang ? PATIENCE : 60_000 })
      logs.push(log)
      await account.writeOn(log, 12)
    } catch (error) {
      if (!(error instanceof LogUnusable)) throw error
    }
  }
  const first = new SimulatedDisk('/simulated', { before })
  await live(first)
  const second = first.killed({ before })
  await live(second)
  return {
    disk: second,
    account,
    calls,
    late: async () => void (await Promise.all(hanging)),
    close: async () => {
      for (const log of logs) await log.close()
    }
  }
}

interface Played {
  readonly disk: SimulatedDisk
  readonly account: Account
  readonly calls: number
  /** Resolves when the calls that hung have had their effect all the same. */
  readonly late: () => Promise<void>
  /** Ends what a kill would have ended. */
  readonly close: () => Promise<void>
}

/** A call of a write that does not come back before the log gives it up. */
const hang: Way = call => (isWrite(call) ? HANGS : undefined)

async function playAll(t: ExecutionContext, name: string, way: Way, length: number): Promise<void> {
  const sound = await play(() => undefined, Infinity, Infinity)
  await sound.close()
  const { calls } = sound
  t.true(calls > 50, `${calls}`)
  for (let from = 1; from <= calls; from += Math.ceil(length / 2)) {
    const { disk, account, late, close } = await play(way, from, from + length)
    await account.compare(t, disk.killed(), `${name} at call ${from}`)
    await late()
    await new Promise(setImmediate)
    if (way === hang) await account.compare(t, disk.killed(), `${name} at call ${from}, later`)
    await close()
  }
}

for (const [name, way] of Object.entries({ ...ways, 'a write that hangs': hang })) {
  test.serial(`${name} at each call of a run`, t => playAll(t, name, way, 1))
  test.serial(`${name} at several calls in a row, all over a run`, t => playAll(t, name, way, 7))
}

test('a disk that fails from some moment on loses nothing that was acknowledged before', async t => {
  for (const from of [20, 40, 50]) {
    const { disk, account, close } = await play(() => ({ error: diskError('EIO') }), from, Infinity)
    await account.compare(t, disk.killed(), `from call ${from} on`)
    await close()
  }
})
