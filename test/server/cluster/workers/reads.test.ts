// Reads of a worker are never older than earlier responses of any process.
import test from 'ava'
import { ErasureProcess } from '../../../../actors/erasure/erasure-process.js'
import { Metrics } from '../../../../server/telemetry/metrics/metrics.js'
import { SiblingProcesses } from '../../../../http/wire/sibling-processes.js'
import { Views } from '../../../../projections/read-models.js'
import { ROOT } from '../../../support/server.js'
import { openStream } from '../../../support/stream.js'
import { serverWithWorker } from '../../../support/worker.js'
import { until } from '../../../support/wait.js'
import { createToken, indexOf, secretWith } from '../../../http/support.js'

test('a worker shows what there was before it came, and what is written through either process', async t => {
  const { main, worker, another } = await serverWithWorker(t)
  t.is((await main.send('PUT', '/v1/kv/a', { body: '1' })).text, 'true')
  t.is((await worker.send('GET', '/v1/kv/a?raw')).text, '1')
  const put = await worker.send('PUT', '/v1/kv/a', { body: '2' })
  t.is(put.text, 'true')
  t.is(put.headers['x-service-index'], String(main.app.views.index))
  t.is((await main.send('GET', '/v1/kv/a?raw')).text, '2')
  t.is((await worker.send('GET', '/v1/kv/a?raw')).text, '2')
  t.is((await (await another()).send('GET', '/v1/kv/a?raw')).text, '2')
})

test('a default read waits until the worker has what was acknowledged; a stale one does not', async t => {
  const { main, worker } = await serverWithWorker(t)
  await main.send('PUT', '/v1/kv/a', { body: '1' })
  t.is((await worker.send('GET', '/v1/kv/a?raw')).text, '1')
  worker.hold()
  await main.send('PUT', '/v1/kv/a', { body: '2' })
  t.is((await worker.send('GET', '/v1/kv/a?raw&stale')).text, '1')
  const waiting = ['', '&consistent'].map(mode => worker.send('GET', `/v1/kv/a?raw${mode}`))
  t.is((await worker.send('GET', '/v1/kv/a?raw&stale')).text, '1')
  worker.letThrough()
  for (const { text } of await Promise.all(waiting)) t.is(text, '2')
})

test('a token is known to a worker as soon as it is made, and unknown as soon as it is deleted', async t => {
  const { main, worker } = await serverWithWorker(t)
  const { SecretID: token, AccessorID } = await createToken(main)
  t.is((await worker.send('GET', '/v1/acl/token/self', { token })).status, 200)
  await main.send('DELETE', `/v1/acl/token/${AccessorID}`)
  t.is((await worker.send('GET', '/v1/acl/token/self', { token })).status, 403)
  worker.hold()
  const { SecretID: newer } = await createToken(main)
  const read = worker.send('GET', '/v1/acl/token/self?stale', { token: newer })
  await worker.send('GET', '/v1/kv/a?stale')
  worker.letThrough()
  t.is((await read).status, 200)
})

test('a blocking query waits in the worker, and answers when the main process has written', async t => {
  const { main, worker } = await serverWithWorker(t)
  const index = indexOf(await main.send('PUT', '/v1/kv/a', { body: '1' }))
  const waiting = worker.send('GET', `/v1/kv/a?raw&index=${index}&wait=60s`)
  await until('it waits', () => worker.scope.resolve(Views).watch.size > 0)
  await main.send('PUT', '/v1/kv/other', { body: '1' })
  const after = indexOf(await main.send('PUT', '/v1/kv/a', { body: '2' }))
  const answer = await waiting
  t.is(answer.text, '2')
  t.is(indexOf(answer), after)
})

test('what a token may is judged in the worker, and a denial is kept by the main process', async t => {
  const { main, worker } = await serverWithWorker(t, { config: { audit: { denials: true } } })
  const token = await secretWith(main, 'reader', 'key_prefix "mine/" { policy = "read" }')
  await main.send('PUT', '/v1/kv/mine/a', { body: '1' })
  t.is((await worker.send('GET', '/v1/kv/mine/a?raw', { token })).text, '1')
  t.is((await worker.send('GET', '/v1/agent/self', { token })).status, 403)
  t.is((await worker.send('GET', '/v1/acl/policies', { token })).status, 403)
  const kept = async (): Promise<string> => (await main.send('GET', '/v1/event/audit?denials=true')).text
  await until('it is kept', async () => (await kept()).includes('/v1/acl/policies'))
})

test('a worker that falls behind reads what it has missed from the files', async t => {
  const { main, worker } = await serverWithWorker(t, { config: { cluster: { hold: '1h' } } })
  worker.hold()
  const value = 'x'.repeat(500_000)
  for (let i = 0; i < 40; i++) await main.send('PUT', `/v1/kv/${i}`, { body: value })
  t.is((await worker.send('GET', '/v1/kv/39?stale')).status, 404)
  const waiting = worker.send('GET', '/v1/kv/39?raw')
  worker.letThrough()
  t.is((await waiting).text, value)
  t.is((await worker.send('GET', '/v1/kv/0?raw')).text, value)
  await main.send('PUT', '/v1/kv/0', { body: 'after' })
  t.is((await worker.send('GET', '/v1/kv/0?raw')).text, 'after')
})

test('data that was erased while a worker was behind is not shown, and the counts of others are sent again', async t => {
  const config = { stream: { event_backlog: 100, max_connections_per_address: 2 } }
  const { main, worker, workers, another } = await serverWithWorker(t, { config })
  const stream = await openStream(worker.base, 'topic=KV', { token: ROOT })
  t.teardown(() => stream.close())
  const index = indexOf(await main.send('PUT', '/v1/kv/customers/1', { body: 'what was said' }))
  await stream.upTo(index)
  const other = await another()
  const elsewhere = await openStream(other.base, 'topic=KV', { token: ROOT })
  t.teardown(() => elsewhere.close())
  const others = worker.scope.resolve(SiblingProcesses)
  await until('the worker has heard of it', () => others.all('streams') === 1)
  await main.send('DELETE', '/v1/kv/customers/1')
  worker.hold()
  await other.close()
  // More messages than the limit for a worker, with content that it ignores.
  workers.feed.send({ kind: 'auth-failure', address: 'x'.repeat(20_000_000), by: 1 })
  workers.host?.ended(2, undefined)
  const { status, text } = await main.send('POST', '/v1/event/erase', {
    body: { Prefix: 'customers/', Topic: 'KV', Reason: 'request' }
  })
  t.is(status, 200, text)
  await main.scope.resolve(ErasureProcess).idle()
  worker.letThrough()
  await worker.send('GET', '/v1/kv/customers/1')
  t.is(others.all('streams'), 0)
  const again = await openStream(worker.base, `topic=KV&index=${index}&until=${index}`, { token: ROOT })
  t.teardown(() => again.close())
  await again.end()
  t.true(again.lines.some(line => line.includes('customers/1')))
  t.false(again.lines.some(line => line.includes(Buffer.from('what was said').toString('base64'))))
})

test('a read of a worker that stays behind is refused when the time is over that it may wait', async t => {
  const { main, worker, advance } = await serverWithWorker(t, { config: { cluster: { hold: '1m' } } })
  worker.hold()
  await main.send('PUT', '/v1/kv/a', { body: '1' })
  let isAnswered = false
  const read = worker.send('GET', '/v1/kv/a?raw').then(answer => {
    isAnswered = true
    return answer
  })
  await until('it is refused', () => {
    advance(30_000)
    return isAnswered
  })
  t.is((await read).status, 503)
  worker.letThrough()
  t.is((await worker.send('GET', '/v1/kv/a?raw')).text, '1')
})

test('uses of tokens, and the tokens of the agent, are known to all processes', async t => {
  const { main, worker, another } = await serverWithWorker(t)
  const other = await another()
  const { SecretID: token, AccessorID } = await createToken(main)
  await worker.send('GET', '/v1/acl/token/self', { token })
  for (const one of [main, worker, other])
    await until('its use is reported', async () =>
      /"LastUsed":"2/.test((await one.send('GET', `/v1/acl/token/${AccessorID}`)).text)
    )
  await worker.send('PUT', '/v1/agent/token/default', { body: { Token: token } })
  for (const one of [main, worker, other])
    t.is((await one.send('GET', '/v1/acl/token/self', { token: undefined })).status, 200)
})

test('the questions of requests to a worker are recorded in the main process', async t => {
  const { main, worker } = await serverWithWorker(t)
  const { SecretID: token, AccessorID } = await createToken(main)
  await worker.send('GET', '/v1/kv/a', { token })
  for (const one of [main, worker])
    await until('its question is recorded', async () =>
      /"Segment":"a"/.test((await one.send('GET', `/v1/acl/token/${AccessorID}/usage`)).text)
    )
  t.pass()
})

test('what was read in the past, evidence and the state of the agent come from the main process', async t => {
  const { main, worker } = await serverWithWorker(t)
  const index = indexOf(await main.send('PUT', '/v1/kv/a', { body: '1' }))
  await main.send('PUT', '/v1/kv/a', { body: '2' })
  t.is((await worker.send('GET', `/v1/kv/a?raw&at=${index}`)).text, '1')
  for (const path of [
    '/v1/agent/self',
    '/v1/event/history?topic=KV&key=a',
    '/v1/history/kv/a',
    '/v1/event/checkpoint/key',
    '/v1/event/cursors',
    '/v1/snapshot?state'
  ])
    t.is((await worker.send('GET', path)).status, 200, path)
})

test('a worker answers by itself what the read models show, and sends on what only the main process keeps', async t => {
  const { main, worker } = await serverWithWorker(t)
  await main.send('PUT', '/v1/kv/a', { body: '1' })
  const sentOn = async (): Promise<number> => {
    const text = await worker.scope.resolve(Metrics).prometheus()
    return Number(/^annals_forwarded_requests_total\{outcome="answered"\} (\d+)$/m.exec(text)?.[1] ?? 0)
  }
  const body = [{ Resource: 'key', Access: 'read', Segment: 'a' }]
  t.is((await worker.send('POST', '/v1/internal/acl/authorize', { body })).status, 200)
  t.is((await worker.send('GET', '/v1/events?index=1')).status, 200)
  t.is(await sentOn(), 0)
  const ofMain = [
    '/v1/event/audit',
    '/v1/event/erasures',
    '/v1/event/history?topic=KV&key=a',
    '/v1/event/checkpoint/key',
    '/v1/event/cursors',
    '/v1/history/kv/a',
    '/v1/kv/a?at=1',
    '/v1/acl/who?resource=key&segment=a&access=read&from=1',
    '/v1/snapshot'
  ]
  for (const path of ofMain) await worker.send('GET', path)
  t.is(await sentOn(), ofMain.length)
})
