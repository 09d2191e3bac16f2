// An erasure reaches only what its caller may write.
import test from 'ava'
import type { Commit } from '../../../../events/envelope.js'
import type { HistoryRange, ResourceKey } from '../../../../events/log/log.js'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import type { TestResponse } from '../../../support/client.js'
import { until } from '../../../support/wait.js'
import { allErased } from '../../../support/erasures.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { call, tenant } from '../../tenancy/support.js'
import { createAdmins } from '../admins.js'

const erase = (server: TestServer, token: string | undefined, body: object) =>
  server.send('POST', '/v1/event/erase', {
    body: { Reason: 'test', ...body },
    ...(token === undefined ? {} : { token })
  })

const registerService = (server: TestServer, id: string, name: string): Promise<unknown> =>
  call(server, 'PUT', '/v1/catalog/register', {
    Node: 'n',
    Address: '10.0.0.1',
    Service: { ID: id, Service: name, Namespace: 'team-a' },
    Check: { CheckID: `check-${id}`, ServiceID: id, Namespace: 'team-a' }
  })

test('a namespace admin erases what it may write, and nothing of other namespaces', async t => {
  const server = await serverInProcess(t)
  const admins = await createAdmins(server)
  const admin = admins['namespace admin']
  for (const place of ['', '?ns=team-a', '?partition=part-a']) {
    await call(server, 'PUT', `/v1/kv/a${place}`, 'secret')
    await call(server, 'DELETE', `/v1/kv/a${place}`)
  }
  t.is((await erase(server, admin, { Topic: 'KV', Prefix: '' })).status, 200)
  await allErased(server)
  const { text } = await server.send('GET', '/v1/event/audit?topic=KV&payload=true&partition=*&ns=*')
  const erased = [...text.matchAll(/\{"Topic":"KV"[^{}]*"Erased":true[^{}]*\}/g)].map(([event]) => event)
  t.is(erased.length, 2, text)
  for (const event of erased) t.regex(event, /"Namespace":"team-a"/)
})

test('a prefix needs write on every key under it', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/namespace', { Name: 'team-a' })
  const token = await tenant(
    server,
    'team-a',
    'acl = "write" key_prefix "app/" { policy = "write" } key "app/locked" { policy = "read" } service_prefix "web" { policy = "write" }'
  )
  for (const [body, status] of [
    [{ Topic: 'KV', Prefix: 'app/logs/' }, 200],
    [{ Topic: 'KV', Prefix: 'app/' }, 403],
    [{ Topic: 'KV', Prefix: '' }, 403],
    [{ Topic: 'KV', Key: 'app/locked' }, 403],
    [{ Topic: 'KV', Key: 'other' }, 403],
    [{ Topic: 'KV', Key: 'app/none' }, 404],
    [{ Topic: 'ConfigEntry', Prefix: 'service-defaults/web' }, 200],
    [{ Topic: 'ConfigEntry', Key: 'service-defaults/db' }, 403],
    [{ Topic: 'ConfigEntry', Prefix: 'service-defaults/' }, 403],
    [{ Topic: 'ConfigEntry', Prefix: '' }, 403],
    [{ Topic: 'ConfigEntry', Prefix: 'proxy-defaults/' }, 403],
    [{ Topic: 'ConfigEntry', Key: 'unknown-kind/web' }, 403],
    [{ Topic: 'Session', Prefix: '' }, 403]
  ] as const) {
    const answer = await erase(server, token, body)
    t.is(answer.status, status, `${JSON.stringify(body)} ${answer.text}`)
    if (status !== 403) continue
    const explained = await server.send('POST', '/v1/acl/explain', { body: { Denial: answer.text } })
    t.like(JSON.parse(explained.text), { Allowed: false }, explained.text)
  }
})

test('existing instances under forbidden names and missing ones are denied alike', async t => {
  const server = await serverInProcess(t)
  await call(server, 'PUT', '/v1/namespace', { Name: 'team-a' })
  const token = await tenant(server, 'team-a', 'acl = "write" service "web" { policy = "write" }')
  await registerService(server, 'own', 'web')
  await registerService(server, 'foreign', 'payroll')
  await registerService(server, 'renamed', 'payroll')
  await registerService(server, 'renamed', 'web')
  const history = (Topic: string, Key: string) => erase(server, token, { Topic, Key, Scope: 'history' })
  const missing = await history('Service', 'nothing')
  t.is(missing.status, 403)
  t.notRegex(missing.text, /payroll/)
  for (const key of ['foreign', 'renamed']) {
    const { status, text } = await history('Service', key)
    t.deepEqual({ status, text }, { status: 403, text: missing.text }, key)
  }
  await registerService(server, 'own', 'web')
  await call(server, 'PUT', '/v1/catalog/deregister', { Node: 'n', ServiceID: 'own', Namespace: 'team-a' })
  t.is((await erase(server, token, { Topic: 'Service', Key: 'own' })).status, 200)
  t.is((await erase(server, token, { Topic: 'Check', Key: 'check-own' })).status, 200)
  const [foreign, none] = [await history('Check', 'check-foreign'), await history('Check', 'none')]
  t.deepEqual([foreign.status, foreign.text], [403, none.text])
})

test('the list of erasures shows those of namespaces in which the caller may write ACLs', async t => {
  const server = await serverInProcess(t)
  const admins = await createAdmins(server)
  const history = { Prefix: '', Scope: 'history' }
  const place = { Namespace: 'default', Partition: 'default' }
  for (const body of [
    { Topic: 'KV', ...history, ...place },
    { Topic: 'KV', ...history, ...place, Namespace: 'team-a' },
    { Topic: 'KV', ...history, ...place, Partition: 'part-a' },
    { Topic: 'Node', ...history },
    { Part: 'who', Accessor: '5ec51e41-9583-2bf5-eed4-3bfcbffede4f' }
  ])
    t.is((await erase(server, undefined, body)).status, 200)
  const seen = async (token?: string): Promise<readonly string[]> => {
    const { text } = await server.send('GET', '/v1/event/erasures', token === undefined ? {} : { token })
    const list: readonly { Topic?: string; Namespace?: string; Partition?: string }[] = JSON.parse(text)
    return list.map(
      ({ Topic = 'who', Namespace = '', Partition = '' }) => `${Topic} ${Partition}/${Namespace}`
    )
  }
  t.deepEqual(await seen(), [
    'KV default/default',
    'KV default/team-a',
    'KV part-a/default',
    'Node default/',
    'who /'
  ])
  t.deepEqual(await seen(admins['namespace admin']), ['KV default/team-a'])
  t.deepEqual(await seen(admins['partition admin']), ['KV part-a/default'])
  t.deepEqual(await seen(admins['default-namespace admin']), ['KV default/default'])
  t.is((await server.send('GET', '/v1/event/erasures', { token: admins.operator })).status, 403)
})

test('an erasure keeps the idempotent responses of other namespaces', async t => {
  const server = await serverInProcess(t)
  await createAdmins(server)
  const repeat = (place: string) =>
    server.send('PUT', `/v1/txn${place}`, {
      body: [{ KV: { Verb: 'set', Key: 'a', Value: 'eA==' } }],
      headers: { 'X-Service-Idempotency-Key': 'the-first' }
    })
  for (const place of ['', '?ns=team-a', '?partition=part-a']) t.is((await repeat(place)).status, 200)
  t.is((await erase(server, undefined, { Topic: 'KV', Prefix: '', Scope: 'history' })).status, 200)
  await allErased(server)
  t.deepEqual(
    [
      (await repeat('?ns=team-a')).status,
      (await repeat('?partition=part-a')).status,
      (await repeat('')).status
    ],
    [200, 200, 410]
  )
})

/** A log in which the history of a key waits until the test releases it. */
class GatedHistory extends MemoryEventLog {
  readonly waiting: (() => void)[] = []

  override async *history(resource: ResourceKey, range?: HistoryRange): AsyncGenerator<Commit> {
    if (resource.key === 'gated') await new Promise<void>(go => this.waiting.push(go))
    yield* super.history(resource, range)
  }
}

test('a token that is deleted while its erasure is examined orders none', async t => {
  const log = new GatedHistory()
  const server = await serverInProcess(t, { log })
  await call(server, 'PUT', '/v1/namespace', { Name: 'team-a' })
  const token = await tenant(server, 'team-a', 'acl = "write" key_prefix "" { policy = "write" }')
  for (const value of ['one', 'two']) await call(server, 'PUT', '/v1/kv/gated?ns=team-a', value)
  const { AccessorID } = JSON.parse((await server.send('GET', '/v1/acl/token/self', { token })).text)
  let answer: TestResponse | undefined
  void erase(server, token, { Topic: 'KV', Key: 'gated', Scope: 'history' }).then(come => (answer = come))
  await until('the history is read', () => log.waiting.length > 0)
  await call(server, 'DELETE', `/v1/acl/token/${AccessorID}?ns=team-a`)
  const { index } = server.app.views
  const { status, text } = await until('it is answered', () => {
    log.waiting.splice(0).forEach(go => go())
    return answer
  })
  t.is(status, 403, text)
  t.is(server.app.views.index, index)
})
