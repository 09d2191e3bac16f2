// The simple kind of cache (state.md §12).
import test, { type ExecutionContext } from 'ava'
import { Clock } from '../../../../actors/clock.js'
import { invalid, Refusal } from '../../../../actors/refusal.js'
import { json } from '../../../../http/wire/response.js'
import { ReadCache } from '../../../../http/wire/reads/serialized-lists.js'
import { API_ROUTES, anyToken, ROUTES, type Route } from '../../../../http/wire/route.js'
import { send } from '../../../support/client.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { secretWith } from '../../support.js'

/** A stopped clock, so that ages are exact. */
class StillClock extends Clock {
  at = Date.UTC(2026, 0, 1)

  override now(): number {
    return this.at
  }

  override elapsed(): number {
    return this.at
  }
}

/** A server with one endpoint that counts its calls, and fails on request. */
const counting = async (t: ExecutionContext) => {
  const clock = new StillClock()
  const state: { count: number; failure: Error | undefined } = { count: 0, failure: undefined }
  const counter = (cache: ReadCache): Route => ({
    method: 'GET',
    path: '/v1/count',
    tag: 'Status',
    operationId: 'count',
    summary: 'Counts',
    access: anyToken(),
    blocking: false,
    consistency: 'all',
    caching: 'simple',
    handle: request =>
      cache.simple(request, ['count', request.query.get('of') ?? ''], () => {
        if (state.failure) throw state.failure
        return json(++state.count)
      })
  })
  const server = await serverInProcess(t, {
    register: scope => {
      scope.registerInstance(Clock, clock)
      scope.register(ROUTES, {
        useFactory: made => [...made.resolve(API_ROUTES), counter(made.resolve(ReadCache))]
      })
    }
  })
  const { base } = server
  const ask = async (path = '?cached', cacheControl = '', token: string = ROOT) => {
    const headers: Record<string, string> = cacheControl === '' ? {} : { 'cache-control': cacheControl }
    const answer = await send(base, 'GET', `/v1/count${path}`, { token, headers })
    return { ...answer, seen: [answer.text, answer.headers['x-cache'], answer.headers.age] }
  }
  const advance = (ms: number): void => {
    clock.at += ms
  }
  return { server, state, ask, advance }
}

test('an answer is given again with its age until it is older than the client allows', async t => {
  const { ask, advance } = await counting(t)
  t.deepEqual((await ask('')).seen, ['1', undefined, undefined])
  t.deepEqual((await ask()).seen, ['2', 'MISS', undefined])
  t.deepEqual((await ask()).seen, ['2', 'HIT', '0'])
  advance(90_000)
  t.deepEqual((await ask('?cached', 'max-age=100')).seen, ['2', 'HIT', '90'])
  t.deepEqual((await ask('?cached', 'max-age=60')).seen, ['3', 'MISS', undefined])
  t.deepEqual((await ask('?cached', 'max-age=0')).seen, ['4', 'MISS', undefined])
  t.deepEqual((await ask('?cached', 'must-revalidate')).seen, ['5', 'MISS', undefined])
  advance(73 * 3600_000)
  t.deepEqual((await ask()).seen, ['6', 'MISS', undefined])
})

test('answers are kept apart by what shapes them, by namespace and by token', async t => {
  const { server, ask } = await counting(t)
  const token = await secretWith(server, 'other', 'service "a" { policy = "read" }')
  const parts: readonly (readonly [string, string])[] = [
    ['?cached', ROOT],
    ['?cached&of=x', ROOT],
    ['?cached&ns=team', ROOT],
    ['?cached', token]
  ]
  for (const [i, [path, as]] of parts.entries())
    t.deepEqual((await ask(path, '', as)).seen, [String(i + 1), 'MISS', undefined])
  for (const [i, [path, as]] of parts.entries())
    t.deepEqual((await ask(path, '', as)).seen, [String(i + 1), 'HIT', '0'])
})

test('a token whose rights have changed, or that is unknown, gets nothing that was kept', async t => {
  const { server, ask } = await counting(t)
  const token = await secretWith(server, 'mine', 'service "a" { policy = "read" }')
  t.deepEqual((await ask('?cached', '', token)).seen, ['1', 'MISS', undefined])
  t.deepEqual((await ask('?cached', '', token)).seen, ['1', 'HIT', '0'])
  const policy = await server.send('GET', '/v1/acl/policy/name/mine')
  const { ID }: { readonly ID: string } = JSON.parse(policy.text)
  await server.send('PUT', `/v1/acl/policy/${ID}`, { body: { ID, Name: 'mine', Rules: '' } })
  t.deepEqual((await ask('?cached', '', token)).seen, ['2', 'MISS', undefined])
  t.is((await ask('?cached', '', 'unknown')).status, 403)
})

test('an answer that is not too old stands in for an error of others, never for one of the caller', async t => {
  const { state, ask, advance } = await counting(t)
  await ask()
  advance(100_000)
  state.failure = new Refusal('acl.login.upstream-failed', 'no response')
  t.is((await ask('?cached', 'max-age=1')).status, 502)
  t.deepEqual((await ask('?cached', 'max-age=1, stale-if-error=200')).seen, ['1', 'HIT', '100'])
  t.is((await ask('?cached', 'max-age=1, stale-if-error=50')).status, 502)
  state.failure = invalid('request.invalid', 'wrong')
  t.is((await ask('?cached', 'max-age=1, stale-if-error=200')).status, 400)
})

test('a Cache-Control that cannot be read is refused, also by reads that are not cached', async t => {
  const { server, ask } = await counting(t)
  t.is((await ask('', 'max-age=x')).status, 400)
  const headers = { 'cache-control': 'max-age="5"' }
  const { status, text } = await server.send('GET', '/v1/acl/tokens', { headers })
  t.is(status, 400)
  t.regex(text, /^Invalid Cache-Control header\./)
})
