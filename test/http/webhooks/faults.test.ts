// Webhooks with a slow receiver, a failing log, or pruned commits.
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import test from 'ava'
import { SegmentEventLog } from '../../../events/log/segments/segment-event-log.js'
import { gatedLog } from '../../support/gated-log.js'
import { receiver, status } from '../../support/webhook-receiver.js'
import { temporaryFolder } from '../../support/process.js'
import { until } from '../../support/wait.js'
import { commit, event } from '../stream/streams.js'
import {
  waitForDelivery,
  hookOf,
  hookServer,
  inTime,
  putHook,
  readHook,
  cursorPositionOf,
  withHook,
  write
} from './support.js'

const CONFIG = { outgoing: { allow: ['127.0.0.1'] } }

test('a slow receiver gets everything, in order and once, while others write', async t => {
  const webhook = { batch_messages: 50 }
  const { server, hook, secret } = await withHook(t, { config: { ...CONFIG, webhook } }, { Topics: ['KV'] })
  hook.answer(response => void setImmediate(() => response.writeHead(204).end()))
  const indexes: number[] = []
  for (let i = 0; i < 600; i++) {
    indexes.push(commit(server, event('KV', `k${i}`, { Payload: { KV: { Value: 'x'.repeat(500) } } })))
    if (i % 20 === 0) await turn()
  }
  await until('all have arrived', () => waitForDelivery(hook, secret).length >= indexes.length)
  t.deepEqual(waitForDelivery(hook, secret), indexes)
  for (const call of hook.calls) t.true(hook.verified(call, secret).Messages.length <= 50)
  await cursorPositionOf(server, indexes.at(-1) ?? 0)
})

test('while the log takes nothing, nothing is sent whose taking could not be kept', async t => {
  const hook = await receiver(t)
  const gate = gatedLog()
  const server = await hookServer(t, { log: gate.log })
  const { Secret = '' } = hookOf(await putHook(server, { URL: hook.url }))
  const [first = 0] = await write(server, 'load/a')
  await until('it has arrived', () => waitForDelivery(hook, Secret).length === 1)
  gate.fail()
  await inTime(server, 'the log has failed', () => !server.app.committer.isWritable)
  for (let i = 0; i < 100; i++) {
    server.advance(10_000)
    await turn()
  }
  // A request that has begun may be sent again: its range is stored.
  const ids = new Set(hook.calls.map(({ headers }) => headers['webhook-id']))
  t.true(ids.size <= 2, `${ids.size} batches`)
  gate.heal()
  await inTime(server, 'the log takes writes', () => server.app.committer.isWritable)
  await cursorPositionOf(server, first)
  const [second = 0] = await write(server, 'load/b')
  await inTime(server, 'it continues', () => waitForDelivery(hook, Secret).includes(second))
})

test('pruned commits that were not sent are skipped and reported', async t => {
  const hook = await receiver(t)
  const dataDir = join(temporaryFolder(t), 'data')
  const open = (): Promise<SegmentEventLog> =>
    SegmentEventLog.open({ path: join(dataDir, 'log'), segmentBytes: 1024 * 1024 })
  const before = await hookServer(t, { dataDir, log: await open() })
  hook.answer(status(500))
  const { Secret = '', Index } = hookOf(await putHook(before, { URL: hook.url }))
  const value = 'x'.repeat(100_000)
  for (let i = 0; i < 60; i++) await before.send('PUT', `/v1/kv/load/${i % 3}`, { body: `${i}${value}` })
  await before.close()
  const config = { ...CONFIG, log: { level: 'silent', retain: { commits: 10 } }, cursor: { max_held: 0 } }
  const letting = await hookServer(t, { dataDir, log: await open(), config })
  await until('the oldest commits are gone', () => letting.app.log.firstIndex > Index + 1)
  await letting.close()
  hook.answer(status(204))
  const after = await hookServer(t, { dataDir, log: await open(), config })
  const { LastDeadLetter } = await inTime(after, 'the oldest commits are passed over', async () => {
    const answer = await readHook(after)
    return answer.LastDeadLetter === undefined ? undefined : answer
  })
  const oldest = after.app.log.firstIndex
  t.like(LastDeadLetter, {
    From: Index + 1,
    To: oldest - 1,
    Reason: `the log keeps nothing before commit ${oldest}`
  })
  const [last = 0] = await write(after, 'load/last')
  await inTime(after, 'it continues', () => waitForDelivery(hook, Secret).includes(last))
})

test('with ACLs off everybody may have a webhook', async t => {
  const config = { ...CONFIG, acl: { enabled: false } }
  const { server, hook, secret } = await withHook(t, { config })
  const [first = 0] = await write(server, 'load/a')
  await until('it has arrived', () => waitForDelivery(hook, secret).length === 1)
  t.deepEqual(waitForDelivery(hook, secret), [first])
})
