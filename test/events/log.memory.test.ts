import { EventEmitter, once } from 'node:events'
import test from 'ava'
import { LogFailure } from '../../events/log/log.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { collect, commitOf } from './commits.js'
import { contract } from './log.contract.js'

contract(test, async () => new MemoryEventLog())

test('a failed flush takes with it all that was appended after, until the log has recovered', async t => {
  const log = new MemoryEventLog({ failAt: 3 })
  await log.append([commitOf(1), commitOf(2)])
  const results = await Promise.allSettled([log.append([commitOf(3)]), log.append([commitOf(4)])])
  t.deepEqual(
    results.map(r => r.status === 'rejected' && r.reason instanceof LogFailure),
    [true, true]
  )
  await t.throwsAsync(log.append([commitOf(5)]), { instanceOf: LogFailure })
  await t.throwsAsync(log.append([commitOf(3)]), { instanceOf: LogFailure })
  t.is(log.durableIndex, 2)
  await log.recover()
  await log.append([commitOf(3, { marker: 'second' })])
  t.deepEqual(
    (await collect(log.read(1))).map(c => `${c.Index} ${c.By.RequestID}`),
    ['1 first', '2 first', '3 second']
  )
})

test('a flush can be held back, and nothing is durable meanwhile', async t => {
  const gate = new EventEmitter()
  const log = new MemoryEventLog({ beforeFlush: async () => void (await once(gate, 'open')) })
  const appended = log.append([commitOf(1)])
  await new Promise(setImmediate)
  t.is(log.durableIndex, 0)
  gate.emit('open')
  await appended
  t.is(log.durableIndex, 1)
})
