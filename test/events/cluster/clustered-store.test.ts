// A log that is shared: what it appends is durable when it is shared, and then here.
import test from 'ava'
import { SharedMismatch, TermEnded } from '../../../events/log/cluster/shared-log.js'
import { StoreFull } from '../../../events/log/store.js'
import { LogServer } from '../../support/log-server.js'
import { SharedMemory } from '../../support/shared-memory.js'

test('a commit is durable when it is shared and on the own disk', async t => {
  const memory = new SharedMemory()
  const server = new LogServer('a', memory)
  await server.lead()
  const deciding = server.decide('first')
  t.is(server.log.durableIndex, 0)
  t.deepEqual(await deciding, { index: 1, end: 'durable' })
  t.is(server.log.durableIndex, 1)
  t.is(memory.head.index, 1)
  t.is(Buffer.from(memory.head.hash).toString('hex'), server.log.headHash)
})

test('who does not lead appends nothing, and nothing is shared', async t => {
  const memory = new SharedMemory()
  const server = new LogServer('a', memory)
  t.deepEqual(await server.decide('first'), { index: 1, end: 'unchanged' })
  t.is(memory.head.index, 0)
})

test('the next append of a deposed leader fails without effect', async t => {
  const memory = new SharedMemory()
  const [old, next] = [new LogServer('a', memory), new LogServer('b', memory)]
  const reasons: string[] = []
  old.link.onDeposed(cause => reasons.push(String(cause)))
  await old.lead()
  memory.end(old.membership!)
  await next.lead()
  t.deepEqual(await old.decide('late'), { index: 1, end: 'unchanged' })
  t.regex(reasons.join('\n'), /^WriteFailure: another server leads$/)
  t.is(old.link.term, undefined)
  t.is(memory.head.index, 0)
})

for (const [Failure, leads] of [
  [StoreFull, true],
  [TermEnded, false]
] as const)
  test(`a full shared log (${Failure.name}) rejects an append without effect, and the server ${leads ? 'remains the leader' : 'is deposed'}`, async t => {
    const memory = new SharedMemory()
    const server = new LogServer('a', memory)
    await server.lead()
    server.link.shared.append = () => Promise.reject(new Failure('full'))
    t.deepEqual(await server.decide('first'), { index: 1, end: 'unchanged' })
    t.is(server.link.term !== undefined, leads)
  })

test('a failing own disk after a shared append makes the outcome unknown and deposes the leader', async t => {
  const memory = new SharedMemory()
  const server = new LogServer('a', memory)
  await server.lead()
  server.failNextFlush()
  t.deepEqual(await server.decide('first'), { index: 1, end: 'unknown' })
  t.is(server.link.term, undefined)
  t.is(memory.head.index, 1)
  void server.follow()
  while (server.log.durableIndex < 1) await new Promise(setImmediate)
  t.deepEqual(
    server.applied.map(({ By }) => By.RequestID),
    ['first']
  )
  await server.stop()
})

test('a restored shared log makes the outcome unknown and deposes the leader', async t => {
  const memory = new SharedMemory()
  const server = new LogServer('a', memory)
  const causes: unknown[] = []
  server.link.onDeposed(cause => causes.push(cause))
  await server.lead()
  await server.decide('first')
  await server.decide('second')
  memory.putBack(2)
  t.deepEqual(await server.decide('third'), { index: 3, end: 'unknown' })
  t.true(causes[0] instanceof SharedMismatch)
})
