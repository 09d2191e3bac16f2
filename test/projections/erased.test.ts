// Read models of a log of which payloads were erased, without a base.
import test from 'ava'
import { lifecycles } from '../../actors/aggregates.js'
import { partsToEraseBy } from '../../actors/erasure/parts-to-erase.js'
import { ErasureProcess } from '../../actors/erasure/erasure-process.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { verifyChain } from '../../events/log/verify.js'
import { serverInProcess } from '../support/server.js'
import { factsOf } from '../support/state-facts.js'
import { until } from '../support/wait.js'

test('a log in memory is folded past what was erased, and its hashes hold', async t => {
  const log = new MemoryEventLog()
  const server = await serverInProcess(t, { log })
  await server.send('PUT', '/v1/catalog/register', {
    body: { Node: 'gone', Address: '10.0.0.1', Service: { Service: 'web' }, Check: { Name: 'alive' } }
  })
  await server.send('PUT', '/v1/kv/a', { body: 'one' })
  await server.send('PUT', '/v1/kv/a', { body: 'two' })
  await server.send('PUT', '/v1/kv/b', { body: 'gone' })
  await server.send('DELETE', '/v1/kv/b')
  await server.send('PUT', '/v1/catalog/deregister', { body: { Node: 'gone' } })
  const orders = [
    { Topic: 'KV', Prefix: '', Scope: 'history' },
    { Topic: 'Node', Key: 'gone' }
  ]
  for (const order of orders) {
    const { status, text } = await server.send('POST', '/v1/event/erase', {
      body: { Reason: 'request', ...order }
    })
    t.is(status, 200, text)
  }
  const { headHash } = log
  const work = server.scope.resolve(ErasureProcess)
  const { views, committer } = server.app
  await until('it is erased', () =>
    views.erasures.list.every(({ key }) => work.stateOf(key).state === 'done')
  )
  let parts = 0
  for (const { erasure } of views.erasures.list)
    for await (const { events = [] } of partsToEraseBy(log, erasure, lifecycles)) parts += events.length
  t.true(parts >= 4)
  const before = factsOf(views)
  await committer.rebuild()
  t.deepEqual(factsOf(views), before)
  t.is(log.headHash, headHash)
  t.is((await verifyChain(log)).broken, undefined)
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, 'two')
})
