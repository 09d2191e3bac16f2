// The messages between a worker and its main process are bounded, and sent only on demand.
import { rereadSettings, Reload } from '../../../../server/settings/reload.js'
import test from 'ava'
import { DenialLog } from '../../../../http/audit/denial-log.js'
import { LogLines } from '../../../../server/telemetry/logging/lines.js'
import { LiveSettings } from '../../../../server/settings/settings.js'
import { MessageBatches, LinesToMain } from '../../../../server/cluster/workers/lines-to-main.js'
import type { FromWorker } from '../../../../server/cluster/workers/message-types.js'
import { until } from '../../../support/wait.js'
import { serverWithWorker } from '../../../support/worker.js'

test('the log of a worker is sent while it is followed', async t => {
  const { main, worker } = await serverWithWorker(t)
  const ofWorker = worker.scope.resolve(LogLines)
  ofWorker.write('an unfollowed line')
  t.is(ofWorker.size, 0)
  const lines: string[] = []
  const stop = main.app.logLines.follow(line => void lines.push(line), 'info')
  await until('the worker has heard of it', () => ofWorker.size === 1)
  ofWorker.write('somebody hears this')
  await until('it has come', () => lines.some(line => line.includes('somebody hears this')))
  stop()
  await until('the worker knows that its log is not followed', () => ofWorker.size === 0)
  t.false(worker.messages.some(message => JSON.stringify(message).includes('an unfollowed line')))
})

test('a worker sends a limited batch of lines, and the number of further ones', async t => {
  const messages: FromWorker[] = []
  const lines = new LogLines()
  const toMain = new LinesToMain(lines, (message, sent) => {
    messages.push(message)
    sent?.()
  })
  toMain.follow('info')
  for (let i = 0; i < 1500; i++) lines.write(`line ${i}`)
  const [first] = await until('they have come', () => messages.length > 0 && messages)
  t.like(first, { kind: 'lines', leftOut: 500 })
  t.is(first?.kind === 'lines' ? first.lines.length : 0, 1000)
})

test('nothing more is sent before what was sent is taken', async t => {
  let waiting = 3
  const sent: (() => void)[] = []
  const batches = new MessageBatches(
    () => (waiting-- > 0 ? { kind: 'listening' } : undefined),
    (_, taken) => void sent.push(taken ?? (() => {}))
  )
  batches.wake()
  await until('the first is sent', () => sent.length === 1)
  batches.wake()
  sent[0]?.()
  await until('the second is sent', () => sent.length === 2)
  t.is(waiting, 1)
  batches.wake()
  t.is(waiting, 1)
})

test('denied attempts at a worker are sent in batches, and further ones are counted', async t => {
  const { main, worker } = await serverWithWorker(t, { config: { audit: { denials: true } } })
  const log = worker.scope.resolve(DenialLog)
  const attempt = { accessor: 'x', address: '192.0.2.1', requestId: '1', method: 'GET', refusal: 'no' }
  for (let i = 0; i < 500; i++) log.note({ ...attempt, url: '/v1/same' })
  for (let i = 0; i < 500; i++) log.note({ ...attempt, url: `/v1/${i}` })
  const text = await until('they are kept', async () => {
    const answer = await main.send('GET', '/v1/event/audit?denials=true')
    return answer.text.includes('LeftOut') && answer.text
  })
  t.regex(text, /"Path":"\/v1\/same".*"Count":500/)
  t.regex(text, /"LeftOut":245/)
  t.is(worker.messages.filter(({ kind }) => kind === 'denials').length, 1)
})

test('a worker that cannot use a new configuration keeps the old one', async t => {
  const { main, worker, workers } = await serverWithWorker(t)
  const live = worker.scope.resolve(LiveSettings)
  let isUsable = false
  worker.scope.resolve(Reload).register(() => {
    if (!isUsable) throw new Error('the file is not there')
    return () => {}
  })
  const { limits } = live.current
  const settings = { ...live.current, limits: { ...limits, http_max_conns: 77 } }
  workers.feed.sendRetained('settings', { kind: 'settings', settings })
  t.is((await main.send('PUT', '/v1/kv/a', { body: '1' })).status, 200)
  t.is((await worker.send('GET', '/v1/kv/a?raw')).text, '1')
  t.is(live.current.limits.http_max_conns, limits.http_max_conns)
  t.deepEqual(rereadSettings(live).changed, [])
  isUsable = true
  workers.feed.sendRetained('settings', { kind: 'settings', settings })
  await until('it is used', () => live.current.limits.http_max_conns === 77)
})
