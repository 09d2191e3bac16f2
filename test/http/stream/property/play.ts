// Runs a plan on its own server, and compares the readers' messages with the log.
import type { Commit } from '../../../../events/envelope.js'
import { openLog } from '../../../../server/open-log.js'
import type { Scope } from '../../../support/process.js'
import { DISK_TIMEOUT_MS, testSettings } from '../../../support/server.js'
import { Oracle } from './oracle.js'
import { ALL_READER_PERMISSIONS, type Plan, type Step } from './plan.js'
import { Reader } from './reader.js'
import { World } from './world.js'

const perform = async (step: Step, world: World, readers: readonly Reader[]): Promise<void> => {
  switch (step.kind) {
    case 'write':
      await Promise.all(step.writes.map(write => world.write(write)))
      return
    case 'rights':
      await world.setRights(step.rights)
      return
    case 'drop':
      readers[step.reader % readers.length]?.breakOff()
      return
    case 'kill':
      return world.kill(step.writes)
  }
}

const readLog = async (scope: Scope, dataDir: string): Promise<readonly Commit[]> => {
  const log = await openLog(testSettings(scope, { dataDir }), { patience: DISK_TIMEOUT_MS })
  const commits: Commit[] = []
  for await (const commit of log.read(1)) commits.push(commit)
  await log.close()
  return commits
}

/** @throws Error when a reader got anything but the expected messages in order */
export const play = async (scope: Scope, plan: Plan): Promise<void> => {
  const world = new World(scope)
  await world.prepare()
  const readers = plan.readers.map(reader => new Reader(world, reader))
  const running = readers.map(reader => reader.run())
  for (const step of plan.steps) await perform(step, world, readers)
  // A stream that was refused earlier may be allowed now.
  const last = await world.setRights(ALL_READER_PERMISSIONS)
  for (const reader of readers) reader.finish(last)
  await Promise.all(running)
  await world.stop()
  const oracle = new Oracle(await readLog(scope, world.dataDir), world)
  for (const reader of readers) {
    try {
      oracle.check(reader)
    } catch (error) {
      const { message } = error instanceof Error ? error : new Error(String(error))
      throw new Error(`reader ${JSON.stringify(reader.plan)}: ${message}`, { cause: error })
    }
  }
}
