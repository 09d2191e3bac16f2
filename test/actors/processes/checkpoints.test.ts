// When checkpoints are made: soon after commits, not more often than that, and at once for who waits.
import test from 'ava'
import { SimulatedClock } from 'xstate'
import { Checkpoints } from '../../../actors/processes/checkpoints.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { LogTree } from '../../../events/log/tree/log-tree.js'
import { MerkleTree } from '../../../events/log/tree/tree.js'
import { until } from '../../support/wait.js'
import { commitOf } from '../../events/commits.js'

const begun = async (sign = (size: number): string => `of ${size}`) => {
  const log = new MemoryEventLog()
  const clock = new SimulatedClock()
  const failures: unknown[] = []
  const tree = new LogTree(log, new MerkleTree())
  const checkpoints = new Checkpoints(
    log,
    {
      tree,
      kept: undefined,
      incarnation: 1,
      sign,
      isSigned: () => true,
      onFailure: error => void failures.push(error)
    },
    { clock }
  )
  await checkpoints.start()
  const append = (): Promise<void> => log.append([commitOf(log.durableIndex + 1)])
  return { append, checkpoints, clock, failures }
}

test('a commit is signed at once, and those of the next second together', async t => {
  const { append, checkpoints, clock } = await begun()
  t.is(checkpoints.newest, undefined)
  await append()
  await until('it is signed', () => checkpoints.newest?.size === 1)
  await append()
  await append()
  t.is(checkpoints.newest?.size, 1)
  await until('it is signed', () => {
    clock.increment(800)
    return checkpoints.newest?.size === 3
  })
  t.is(checkpoints.newest?.text, 'of 3')
  await checkpoints.stop()
})

test('who waits for one has it without a rest, and an earlier one is signed when it is asked for', async t => {
  const { append, checkpoints } = await begun()
  for (const size of [1, 2, 3]) {
    await append()
    t.is((await checkpoints.covering(size))?.size, size)
  }
  t.deepEqual(await checkpoints.at(2), { size: 2, text: 'of 2' })
  await checkpoints.stop()
})

test('a wait resolves to undefined after a failure, which is retried', async t => {
  let fails = true
  const { append, checkpoints, clock, failures } = await begun(size => {
    if (fails) throw new Error('made by the test')
    return `of ${size}`
  })
  await append()
  t.is(await checkpoints.covering(1), undefined)
  t.true(failures.length > 0)
  fails = false
  await until('it is signed', () => {
    clock.increment(800)
    return checkpoints.newest?.size === 1
  })
  await checkpoints.stop()
})

test('stopping signs the last commits, and later waits resolve at once', async t => {
  const { append, checkpoints } = await begun()
  await append()
  await checkpoints.covering(1)
  await append()
  await checkpoints.stop()
  t.is(checkpoints.newest?.size, 2)
  t.is((await checkpoints.covering(9))?.size, 2)
})
