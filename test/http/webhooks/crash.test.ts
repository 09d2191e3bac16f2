// Webhooks of the built server, which is killed during deliveries.
import { join } from 'node:path'
import test from 'ava'
import { send } from '../../support/client.js'
import { startServer, temporaryFolder } from '../../support/process.js'
import { receiver, silence, status } from '../../support/webhook-receiver.js'
import { ROOT } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { indexOf } from '../support.js'
import { waitForDelivery, hookOf, PATH } from './support.js'

const ROUNDS = 2
const WRITES = 40

test('a server that is killed sends everything at least once, in order', async t => {
  const hook = await receiver(t)
  const dataDir = join(temporaryFolder(t), 'data')
  const config = { outgoing: { allow: ['127.0.0.1'] }, webhook: { batch_messages: 4 } }
  const start = () => startServer(t, { dataDir, initialManagement: ROOT, config })
  hook.answer(response => void setImmediate(() => response.writeHead(204).end()))
  const acknowledged: number[] = []
  let secret = ''
  for (let round = 0; round < ROUNDS; round++) {
    const server = await start()
    const body = { Topics: ['KV:load/'], URL: hook.url }
    if (round === 0) secret = hookOf(await send(server.base, 'PUT', PATH, { token: ROOT, body })).Secret ?? ''
    for (let i = 0; i < WRITES; i++)
      acknowledged.push(
        indexOf(await send(server.base, 'PUT', `/v1/kv/load/${i}`, { token: ROOT, body: `${round}` }))
      )
    const enough = acknowledged.length - WRITES / 2
    await until('some have arrived', () => new Set(waitForDelivery(hook, secret)).size >= enough)
    await server.kill()
  }
  const server = await start()
  await until('all have arrived', () => new Set(waitForDelivery(hook, secret)).size >= acknowledged.length)
  const first = [...new Set(waitForDelivery(hook, secret))]
  t.deepEqual(first, acknowledged)
  await server.stop()
})

test('a batch that was attempted before a kill is sent again as it was, under the same ID', async t => {
  const hook = await receiver(t)
  const dataDir = join(temporaryFolder(t), 'data')
  const start = (batchMessages: number) =>
    startServer(t, {
      dataDir,
      initialManagement: ROOT,
      config: {
        outgoing: { allow: ['127.0.0.1'] },
        webhook: { batch_messages: batchMessages, retry_min: '100ms', retry_max: '100ms' }
      }
    })
  const body = { Topics: ['KV:load/'], URL: hook.url }
  let secret = ''
  let last = 0
  for (const [round, batchMessages] of [5, 3, 8].entries()) {
    const server = await start(batchMessages)
    // One batch is never answered; later ones would be cut differently after the restart.
    hook.answer(silence)
    if (round === 0) secret = hookOf(await send(server.base, 'PUT', PATH, { token: ROOT, body })).Secret ?? ''
    const before = hook.calls.length
    for (let i = 0; i < 20; i++)
      last = indexOf(await send(server.base, 'PUT', `/v1/kv/load/${i}`, { token: ROOT, body: `${round}` }))
    await until('a batch was attempted', () => hook.calls.length > before)
    await server.kill()
  }
  hook.answer(status(204))
  const server = await start(2)
  await until('all have arrived', () => waitForDelivery(hook, secret).includes(last))
  await server.stop()
  const bodies = new Map<string, string>()
  const ranges = new Map<number, string>()
  for (const { headers, text } of hook.calls) {
    const id = String(headers['webhook-id'])
    t.is(bodies.get(id) ?? text, text)
    bodies.set(id, text)
    const [first] = JSON.parse(text).Messages
    t.is(ranges.get(first.Index) ?? id, id, `the batch from commit ${first.Index} on has two IDs`)
    ranges.set(first.Index, id)
  }
  t.is(new Set(waitForDelivery(hook, secret)).size, 60)
})
