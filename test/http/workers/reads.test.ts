// Reads of a worker: never older than what anybody was told before.
import test from 'ava'
import { Views } from '../../../projections/views.js'
import { serverWithWorker } from '../../support/worker.js'
import { until } from '../../support/wait.js'
import { createToken, indexOf, secretWith } from '../support.js'

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
  const denied = worker.told.filter(({ kind }) => kind === 'denial')
  t.is(denied.length, 1)
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

test('uses of tokens, and the tokens of the agent, are known to all processes', async t => {
  const { main, worker, another } = await serverWithWorker(t)
  const other = await another()
  const { SecretID: token, AccessorID } = await createToken(main)
  await worker.send('GET', '/v1/acl/token/self', { token })
  for (const one of [main, worker, other])
    await until('its use is told', async () =>
      /"LastUsed":"2/.test((await one.send('GET', `/v1/acl/token/${AccessorID}`)).text)
    )
  await worker.send('PUT', '/v1/agent/token/default', { body: { Token: token } })
  for (const one of [main, worker, other])
    t.is((await one.send('GET', '/v1/acl/token/self', { token: undefined })).status, 200)
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
