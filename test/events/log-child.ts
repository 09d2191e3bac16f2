// A process that uses a log on disk for the tests: `node log-child.js hold|tail|fill <folder> …`. Prints JSON lines.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { SegmentEventLog } from '../../events/log/segments/segment-event-log.js'
import { LogFailure } from '../../events/log/log.js'
import { commitOf } from './commits.js'

/** What `fill` prints at its end. */
export interface Filled {
  /** Per acknowledged index, the marker of the commit that was acknowledged. */
  readonly acknowledged: readonly (readonly [number, string])[]
  /** Markers of the commits that were refused. */
  readonly refused: readonly string[]
  readonly durableIndex: number
  readonly errors: readonly string[]
  /** How often the log recovered. */
  readonly recoveries: number
  readonly refusedWhileFailed: boolean
}

const print = (value: unknown): void => console.log(JSON.stringify(value))

/** Holds the writer's place until it is killed. */
async function hold(path: string): Promise<void> {
  const log = await SegmentEventLog.open({ path })
  await log.append([commitOf(log.durableIndex + 1)])
  print(log.durableIndex)
  setInterval(() => log.durableIndex, 1000)
}

/** Follows the log of another process to an index, and tells what it read. */
async function tail(path: string, upTo: string): Promise<void> {
  const log = await SegmentEventLog.open({ path, readOnly: true })
  const stop = new AbortController()
  const seen: number[] = []
  print('open')
  for await (const { Index } of log.tail(1, stop.signal)) {
    seen.push(Index)
    if (Index === Number(upTo)) stop.abort()
  }
  const refused = await log.append([commitOf(Number(upTo) + 1)]).catch((error: unknown) => String(error))
  print({ seen, refused })
  await log.close()
}

/** Appends until the disk is full, frees space with `free`, recovers and continues. */
async function fill(path: string, ...free: readonly string[]): Promise<void> {
  process.on('SIGXFSZ', () => {})
  const log = await SegmentEventLog.open({ path })
  const acknowledged: [number, string][] = []
  const refused: string[] = []
  const errors = new Set<string>()
  let attempts = 0
  const state = { failed: false }
  const append = async (index: number): Promise<void> => {
    const marker = `attempt-${++attempts}`
    const secrets = { SecretID: marker }
    try {
      await log.append([commitOf(index, { size: 8_000, marker, secrets })])
      acknowledged.push([index, marker])
    } catch (error) {
      if (!(error instanceof LogFailure)) throw error
      errors.add(error.message)
      refused.push(marker)
      state.failed = true
    }
  }
  /** Appends `rounds` groups of 16 in flight, or until one fails. */
  const groups = async (rounds: number): Promise<void> => {
    for (let round = 0; round < rounds && !state.failed; round++) {
      const from = log.durableIndex + 1
      await Promise.all(Array.from({ length: 16 }, (_, i) => append(from + i)))
    }
  }
  await groups(1_000)
  const refusedWhileFailed = await log
    .append([commitOf(log.durableIndex + 1, { marker: 'while-failed' })])
    .then(
      () => false,
      (error: unknown) => error instanceof LogFailure
    )
  let recoveries = 0
  const recover = async (): Promise<void> => {
    await log.recover().then(
      () => recoveries++,
      (error: unknown) => {
        if (!(error instanceof LogFailure)) throw error
        errors.add(error.message)
      }
    )
  }
  // The disk is still full: recovering and appending may succeed or not, but must not lie.
  await recover()
  state.failed = false
  await groups(3)
  if (free[0] === 'remove') rmSync(free[1] ?? '')
  else spawnSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:unlimited'])
  await recover()
  state.failed = false
  await groups(10)
  const { durableIndex } = log
  print({
    acknowledged,
    refused,
    durableIndex,
    errors: [...errors],
    recoveries,
    refusedWhileFailed
  } satisfies Filled)
  await log.close()
}

const [, , task, path = '', ...more] = process.argv
if (task === 'hold') await hold(path)
else if (task === 'tail') await tail(path, more[0] ?? '1')
else await fill(path, ...more)
