// Concurrent requests with one key, and requests while the outcome of the first is unknown: each key is decided at most once.
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { WriteFailure, type WriteFailure as Failure } from '../../../../events/log/store.js'
import type { TestResponse } from '../../../support/client.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { registerCluster } from '../../../../server/cluster/members/register-cluster.js'
import { HandMadePort } from '../../../server/cluster/members/hand-made-port.js'
import { keyed } from './keyed.js'
import { runs } from '../../../support/property-runs.js'

const REQUEST_TIMEOUT = 30_000

/** A server whose disk the test can stop and fail. */
const withDisk = async (t: ExecutionContext, options: TestServerOptions = {}) => {
  const disk = { isHeld: false, failure: undefined as Failure | undefined, waiting: [] as (() => void)[] }
  const log = new MemoryEventLog({
    beforeFlush: async () => {
      if (disk.isHeld) await new Promise<void>(go => disk.waiting.push(go))
      const { failure } = disk
      disk.failure = undefined
      if (failure) throw failure
    }
  })
  const server = await serverInProcess(t, { ...options, log })
  return {
    server,
    /** Holds flushes from now on. */
    hold: () => void (disk.isHeld = true),
    /** Releases the flushes; the first of them fails as requested. */
    release: (outcome?: 'unchanged' | 'unknown') => {
      disk.isHeld = false
      disk.failure = outcome && disk.waiting.length > 0 ? new WriteFailure('EIO', outcome) : undefined
      for (const go of disk.waiting.splice(0)) go()
    },
    /** Resolves when a flush waits. */
    isReached: () => until('a flush waits', () => disk.waiting.length > 0)
  }
}

const create = (
  server: TestServer,
  key: string,
  body: object = { Description: key }
): Promise<TestResponse> => keyed(server, key, 'PUT', '/v1/acl/token', { body })

const made = async (server: TestServer, key: string): Promise<readonly string[]> => {
  const { text } = await server.send('GET', '/v1/acl/tokens')
  const tokens: readonly { readonly AccessorID: string; readonly Description: string }[] = JSON.parse(text)
  return tokens.filter(({ Description }) => Description === key).map(({ AccessorID }) => AccessorID)
}

test('those that come while the first is written wait, and are answered as it is', async t => {
  const { server, hold, release, isReached } = await withDisk(t)
  hold()
  const answers = Array.from({ length: 20 }, () => create(server, 'k'))
  await isReached()
  const other = create(server, 'k', {})
  release()
  t.is((await other).status, 422)
  t.is(new Set((await Promise.all(answers)).map(({ text }) => text)).size, 1)
  t.is((await made(server, 'k')).length, 1)
})

test('after the request timeout, a waiting repeat is answered with an unknown outcome', async t => {
  const { server, hold, release, isReached } = await withDisk(t)
  hold()
  const first = create(server, 'k')
  await isReached()
  let response: TestResponse | undefined
  const repeat = create(server, 'k').then(answer => (response = answer))
  await until('it has waited', () => {
    server.advance(REQUEST_TIMEOUT)
    return response
  })
  const unknown = await repeat
  t.is(unknown.status, 500)
  t.is(unknown.headers['x-service-outcome'], 'unknown')
  t.regex(unknown.text, /the first request with this X-Service-Idempotency-Key has not come to its end/)
  release()
  t.is((await create(server, 'k')).text, (await first).text)
  t.is((await made(server, 'k')).length, 1)
})

test('in a cluster no repeat waits longer for the first request than for a leader', async t => {
  const port = new HandMadePort('leading')
  port.hold = 1000
  const { server, hold, release, isReached } = await withDisk(t, {
    config: { limits: { request_timeout: '24h' } },
    register: scope => registerCluster(scope, port)
  })
  hold()
  const first = create(server, 'k')
  await isReached()
  let response: TestResponse | undefined
  const repeat = create(server, 'k').then(answer => (response = answer))
  await until('it has waited', () => {
    server.advance(port.hold)
    return response
  })
  t.is((await repeat).headers['x-service-outcome'], 'unknown')
  release()
  t.is((await create(server, 'k')).text, (await first).text)
  t.is((await made(server, 'k')).length, 1)
})

test('while the log does not know whether it contains the first request, a repeat waits; then it is decided once', async t => {
  const { server, hold, release, isReached } = await withDisk(t)
  hold()
  const first = create(server, 'k')
  await isReached()
  const waiting = [create(server, 'k'), create(server, 'k')]
  release('unknown')
  t.is((await first).headers['x-service-outcome'], 'unknown')
  const answers = await Promise.all(waiting)
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200]
  )
  t.is(answers[1]?.text, answers[0]?.text)
  t.is((await made(server, 'k')).length, 1)
})

test('what the log has refused for certain is decided again', async t => {
  const { server, hold, release, isReached } = await withDisk(t)
  hold()
  const first = create(server, 'k')
  await isReached()
  release('unchanged')
  t.is((await first).status, 503)
  const again = await until('the log is back', async () => {
    const answer = await create(server, 'k')
    return answer.status === 200 && answer
  })
  t.deepEqual(await made(server, 'k'), [JSON.parse(again.text).AccessorID])
})

const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('send' as const), key: fc.nat(2), body: fc.nat(3) })
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('hold', 'release', 'turn') }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('unchanged', 'unknown', 'time') }) }
  ),
  { minLength: 4, maxLength: 24 }
)

test('with any faults of the disk and any timing, each key creates at most one resource, with consistent responses', async t => {
  const { server, hold, release } = await withDisk(t)
  let run = 0
  await fc.assert(
    fc.asyncProperty(steps, async script => {
      const prefix = `run-${++run}-`
      const sent: { readonly key: string; readonly body: string; readonly answer: Promise<TestResponse> }[] =
        []
      for (const step of script)
        switch (step.do) {
          case 'send': {
            const key = `${prefix}${step.key}`
            // One in four has another body.
            const body = step.body === 0 ? `${key} in other words` : key
            sent.push({ key, body, answer: create(server, key, { Description: body }) })
            break
          }
          case 'hold':
            hold()
            break
          case 'release':
            release()
            break
          case 'unchanged':
          case 'unknown':
            release(step.do)
            break
          case 'time':
            server.advance(REQUEST_TIMEOUT)
            break
          case 'turn':
            await new Promise(setImmediate)
        }
      release()
      const answered = await Promise.all(
        sent.map(async ({ key, body, answer }) => ({ key, body, ...(await answer) }))
      )
      await until(
        'the log is written again',
        async () => (await server.send('PUT', '/v1/kv/x')).status === 200
      )
      for (let n = 0; n < 3; n++) {
        const key = `${prefix}${n}`
        const ours = answered.filter(one => one.key === key)
        const resources = [...(await made(server, key)), ...(await made(server, `${key} in other words`))]
        const texts = new Set(ours.filter(({ status }) => status === 200).map(({ text }) => text))
        t.true(resources.length <= 1, `${key} was made ${resources.length} times`)
        t.true(texts.size <= 1)
        for (const text of texts) t.deepEqual(resources, [JSON.parse(text).AccessorID])
        for (const { status } of ours) t.true([200, 422, 500, 503].includes(status), `${status}`)
      }
    }),
    { numRuns: runs(40) }
  )
})
