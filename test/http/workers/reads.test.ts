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
