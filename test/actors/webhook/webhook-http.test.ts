import test, { type ExecutionContext } from 'ava'
import { ClockWatch, Deadlines, Timers } from '../../../actors/clock.js'
import { Destinations, OutgoingTls } from '../../../actors/outgoing/destinations.js'
import { GuardedClient } from '../../../actors/outgoing/guarded-client.js'
import { secretOf } from '../../../actors/webhook/signature.js'
import { WebhookHttp, type Verdict } from '../../../actors/webhook/webhook-http.js'
import { receiver, silence, status } from '../../support/webhook-receiver.js'
import { SetClock } from '../../../library/testing/set-clock.js'
import { until } from '../../support/wait.js'

const secret = secretOf(Buffer.alloc(32, 7))

const setUp = async (t: ExecutionContext, allow = ['127.0.0.1/32']) => {
  const clock = new SetClock({ runs: false })
  const deadlines = new Deadlines(clock, new ClockWatch(clock))
  const destinations = new Destinations({ allow, checks: [], isLocalServer: true })
  const client = new GuardedClient(new Timers(deadlines), destinations, new OutgoingTls())
  const http = new WebhookHttp(clock, client)
  const hook = await receiver(t)
  t.teardown(async () => {
    deadlines.stop()
    await client.close()
  })
  const never = new AbortController()
  return {
    hook,
    never,
    post: (url = hook.url): Promise<Verdict> =>
      http.post({ url, secret, body: Buffer.from('{"LastIndex":1}'), timeout: 20_000 }, never.signal),
    advance: (ms: number): void => {
      clock.advance(ms)
      deadlines.look()
    }
  }
}

test('a delivery is a signed POST of JSON', async t => {
  const { hook, post } = await setUp(t)
  t.deepEqual(await post(), { outcome: 'delivered' })
  const [call] = hook.calls
  t.like(call, { method: 'POST' })
  t.like(call?.headers, { 'content-type': 'application/json', 'user-agent': 'annals' })
  t.like(call && hook.verified(call, secret), { LastIndex: 1 })
})

test('the status decides: 2xx is delivered, 410 ends the webhook, all others failed', async t => {
  const { hook, post } = await setUp(t)
  for (const code of [200, 202, 299]) {
    hook.answer(status(code))
    t.deepEqual(await post(), { outcome: 'delivered' }, String(code))
  }
  hook.answer(status(410))
  t.deepEqual(await post(), { outcome: 'gone' })
  for (const code of [400, 404, 500, 502]) {
    hook.answer(status(code, { 'retry-after': '7' }))
    t.deepEqual(await post(), { outcome: 'failed', reason: `answered ${code}` })
  }
  for (const code of [429, 503]) {
    hook.answer(status(code, { 'retry-after': '7' }))
    t.deepEqual(await post(), { outcome: 'failed', reason: `answered ${code}`, retryAfter: 7000 })
  }
})

test('a redirect is not followed', async t => {
  const { hook, post } = await setUp(t)
  hook.answer(status(307, { location: hook.url }))
  t.deepEqual(await post(), { outcome: 'failed', reason: 'answered 307' })
  t.is(hook.calls.length, 1)
})

test('who does not answer in time has failed', async t => {
  const { hook, post, advance } = await setUp(t)
  hook.answer(silence)
  const verdict = post()
  await until('the request is there', () => hook.calls.length === 1)
  advance(19_000)
  advance(1000)
  t.deepEqual(await verdict, { outcome: 'failed', reason: 'no answer within 20000 ms' })
})

test('of an answer only the status counts, whatever becomes of its body', async t => {
  const { hook, post, advance } = await setUp(t)
  hook.answer(response => void response.writeHead(200).end(Buffer.alloc(4 * 1024 * 1024)))
  t.deepEqual(await post(), { outcome: 'delivered' })
  hook.answer(response => void response.writeHead(200).write('never the end'))
  const verdict = post()
  await until('the request is there', () => hook.calls.length === 2)
  let isDone = false
  void verdict.then(() => (isDone = true))
  await until('the answer has ended', () => {
    advance(20_000)
    return isDone
  })
  t.deepEqual(await verdict, { outcome: 'delivered' })
})

test('an address that webhooks may not be sent to is never connected to', async t => {
  const { hook, post } = await setUp(t, [])
  for (const url of [hook.url, hook.url.replace('127.0.0.1', 'localhost')]) {
    const verdict = await post(url)
    t.is(verdict.outcome, 'failed')
    t.regex(verdict.outcome === 'failed' ? verdict.reason : '', /outgoing\.allow keeps requests from/)
  }
  t.is(hook.calls.length, 0)
})

test('the reason of a refused connection is reported', async t => {
  const { hook, post } = await setUp(t)
  await hook.close()
  t.like(await post(), { outcome: 'failed', reason: `connect ECONNREFUSED ${new URL(hook.url).host}` })
})

test('an aborted attempt ends', async t => {
  const { hook, post, never } = await setUp(t)
  hook.answer(silence)
  const verdict = post()
  await until('the request is there', () => hook.calls.length === 1)
  never.abort()
  t.is((await verdict).outcome, 'failed')
})
