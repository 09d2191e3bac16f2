// The history of one resource: its versions, their callers, and the required permissions.
import test from 'ava'
import * as fc from 'fast-check'
import { applyPatch, type Operation } from 'rfc6902'
import { createPolicy, createToken, indexOf, secretWith } from '../../support.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { pem } from '../../../support/stub-provider.js'

interface ShownVersion {
  readonly Index: number
  readonly Time: string
  readonly Type: string
  readonly By?: Readonly<Record<string, unknown>>
  readonly Patch: Operation[]
  readonly Payload?: object
}

const versionsOf = (text: string): readonly ShownVersion[] => JSON.parse(text)

/** The versions of something, by the path of its history. @throws Error when they are refused */
const historyAt = async (server: TestServer, path: string): Promise<readonly ShownVersion[]> => {
  const { status, text } = await server.send('GET', path)
  if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
  return versionsOf(text)
}

const put = async (server: TestServer, path: string, body: string | object): Promise<number> => {
  const { status, text, headers } = await server.send('PUT', path, { body })
  if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
  return Number(headers['x-service-index'])
}

test('each version tells when, what changed, who asked, from where and why, the newest first', async t => {
  const server = await serverInProcess(t)
  const first = await put(server, '/v1/kv/web/port', '80')
  const { headers } = await server.send('PUT', '/v1/kv/web/port?flags=7', {
    body: '81',
    headers: { 'X-Service-Reason': 'ticket 7', 'X-Service-Request-Id': 'my-request' }
  })
  const answer = await server.send('GET', '/v1/event/history?topic=KV&key=web/port')
  t.is(answer.status, 200)
  t.is(indexOf(answer), Number(headers['x-service-index']))
  const [newest, oldest, ...others] = versionsOf(answer.text)
  t.deepEqual(others, [])
  t.is(oldest?.Index, first)
  t.deepEqual(Object.keys(newest ?? {}), ['Index', 'Time', 'Type', 'By', 'Patch'])
  t.is(newest?.Type, 'KVSet')
  t.deepEqual(newest?.By, {
    AccessorID: newest?.By?.['AccessorID'],
    TokenName: 'Initial Management Token',
    Address: '127.0.0.1',
    RequestID: 'my-request',
    Command: 'SetKey',
    Reason: 'ticket 7'
  })
  t.deepEqual(
    newest?.Patch.map(({ op, path }) => `${op} ${path}`),
    ['replace /KV/Value', 'replace /KV/Flags', 'replace /KV/ModifyIndex']
  )
  t.is(oldest?.Patch[0]?.path, '')
  const whole = await historyAt(server, '/v1/history/kv/web/port?payload=true&limit=1')
  t.is(whole.length, 1)
  t.like(whole[0]?.Payload, { KV: { Key: 'web/port', Flags: 7 } })
})

test('patches, applied in their order, give each payload: any writes of any kind', async t => {
  const server = await serverInProcess(t)
  const text = fc.string({ maxLength: 6 })
  const write = fc.oneof(
    fc.record({ kind: fc.constant('kv'), value: text }),
    fc.record({ kind: fc.constant('delete') }),
    fc.record({
      kind: fc.constant('node'),
      meta: fc.dictionary(fc.constantFrom('a', 'b', 'c/d', '~e'), text)
    }),
    fc.record({ kind: fc.constant('service'), tags: fc.array(text, { maxLength: 4 }) }),
    fc.record({ kind: fc.constant('policy'), description: text })
  )
  const ID = await createPolicy(server, 'changing', '')
  const node = { Node: 'n1', Address: '10.0.0.1' }
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 12 }), async writes => {
      for (const one of writes)
        if ('value' in one) await put(server, '/v1/kv/k', one.value)
        else if ('meta' in one) await put(server, '/v1/catalog/register', { ...node, NodeMeta: one.meta })
        else if ('tags' in one)
          await put(server, '/v1/catalog/register', { ...node, Service: { Service: 'web', Tags: one.tags } })
        else if ('description' in one)
          await put(server, `/v1/acl/policy/${ID}`, { Name: 'changing', Description: one.description })
        else await server.send('DELETE', '/v1/kv/k')
      for (const path of [
        '/v1/history/kv/k',
        '/v1/history/catalog/node/n1',
        '/v1/event/history?topic=Service&key=web',
        `/v1/history/acl/policy/${ID}`
      ]) {
        const { status, text: body } = await server.send(
          'GET',
          `${path}${path.includes('?') ? '&' : '?'}payload=true&limit=1000`
        )
        if (status === 404) continue
        const document = { value: {} }
        for (const { Patch, Payload } of versionsOf(body).toReversed()) {
          const rooted = Patch.map(one => ({ ...one, path: `/value${one.path}` }))
          t.deepEqual(applyPatch(document, rooted).filter(Boolean), [])
          t.deepEqual(document.value, Payload)
        }
      }
    }),
    { numRuns: 6 }
  )
})

test('pages lead to older and to newer versions, and together are all of them', async t => {
  const server = await serverInProcess(t)
  const indexes: number[] = []
  for (let i = 0; i < 11; i++) {
    indexes.unshift(await put(server, '/v1/kv/k', String(i)))
    await put(server, '/v1/kv/other', String(i))
  }
  const linkIn = (
    headers: Readonly<Record<string, string | string[] | undefined>>,
    rel: string
  ): string | undefined =>
    new RegExp(`<([^>]*)>; rel="${rel}"`).exec([headers['link'] ?? []].flat().join())?.[1]
  const seen: number[] = []
  let path: string | undefined = '/v1/event/history?topic=KV&key=k&limit=4'
  let last = path
  while (path !== undefined) {
    const answer = await server.send('GET', path)
    t.is(indexOf(answer), indexes[0] ?? 0)
    seen.push(...versionsOf(answer.text).map(({ Index }) => Index))
    last = path
    path = linkIn(answer.headers, 'next')
  }
  t.deepEqual(seen, indexes)
  const back: number[][] = []
  for (let at: string | undefined = last; at !== undefined;) {
    const answer = await server.send('GET', at)
    back.unshift(versionsOf(answer.text).map(({ Index }) => Index))
    at = linkIn(answer.headers, 'prev')
  }
  t.deepEqual(back.flat(), indexes)
})

test('with index a history waits until it has grown', async t => {
  const server = await serverInProcess(t)
  const first = await put(server, '/v1/kv/k', '1')
  const waiting = server.send('GET', `/v1/history/kv/k?index=${first}&wait=10m`)
  await put(server, '/v1/kv/k/below', '1')
  const second = await put(server, '/v1/kv/k', '2')
  const answer = await waiting
  t.is(indexOf(answer), second)
  t.deepEqual(
    versionsOf(answer.text).map(({ Index }) => Index),
    [second, first]
  )
  const over = server.send('GET', `/v1/history/kv/k?index=${second}&wait=1ms`)
  t.is(indexOf(await over), second)
})

test('a history requires read permission on the resource now, and operator:read for the callers', async t => {
  const server = await serverInProcess(t)
  await put(server, '/v1/kv/a/b', '1')
  const ID = await createPolicy(server, 'some', '')
  const reader = await secretWith(server, 'reader', 'key_prefix "a/" { policy = "read" }')
  const auditor = await secretWith(server, 'auditor', 'key_prefix "a/" { policy = "read" } operator = "read"')
  const [shown] = versionsOf((await server.send('GET', '/v1/history/kv/a/b', { token: reader })).text)
  t.deepEqual(Object.keys(shown ?? {}), ['Index', 'Time', 'Type', 'Patch'])
  const [audited] = versionsOf((await server.send('GET', '/v1/history/kv/a/b', { token: auditor })).text)
  t.is(audited?.By?.['Command'], 'SetKey')
  const denials: readonly (readonly [string, string])[] = [
    ['/v1/event/history?topic=KV&key=a/b', 'key:read'],
    [`/v1/history/acl/policy/${ID}`, 'acl:read'],
    ['/v1/history/catalog/node/server-1', 'node:read']
  ]
  for (const [path, permission] of denials) {
    const denied = await server.send('GET', path, { token: undefined })
    t.is(denied.status, 403, path)
    t.regex(denied.text, new RegExp(`lacks permission '${permission}'`))
  }
  const unknown = await server.send('GET', '/v1/history/kv/nothing', {
    token: '11111111-1111-4111-8111-111111111111'
  })
  t.is(unknown.status, 403)
})

test('histories of deleted resources are shown, and none discloses a secret', async t => {
  const server = await serverInProcess(t)
  const token = await createToken(server, { Description: 'short-lived' })
  await put(server, `/v1/acl/token/${token.AccessorID}`, { Description: 'longer' })
  await server.send('DELETE', `/v1/acl/token/${token.AccessorID}`)
  const { text } = await server.send('GET', `/v1/history/acl/token/${token.AccessorID}?payload=true`)
  t.deepEqual(
    versionsOf(text).map(({ Type }) => Type),
    ['ACLTokenDeleted', 'ACLTokenUpserted', 'ACLTokenUpserted']
  )
  t.false(text.includes(token.SecretID))
})

test('every GET of one resource links to its history', async t => {
  const server = await serverInProcess(t)
  await put(server, '/v1/namespace', { Name: 'team' })
  await put(server, '/v1/partition', { Name: 'part' })
  await put(server, '/v1/config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
  await put(server, '/v1/connect/intentions/exact?source=a&destination=web', { Action: 'allow' })
  await put(server, '/v1/agent/service/register', { Name: 'web', Port: 80 })
  await put(server, '/v1/acl/role', { Name: 'roly' })
  await put(server, '/v1/acl/policy', { Name: 'poly' })
  const method = { Name: 'm', Type: 'jwt', Config: { JWTValidationPubKeys: [pem('ca.pem')] } }
  await put(server, '/v1/acl/auth-method', method)
  const rule = { AuthMethod: 'm', BindType: 'role', BindName: 'roly' }
  const { ID: bound } = JSON.parse((await server.send('PUT', '/v1/acl/binding-rule', { body: rule })).text)
  const resources = [
    '/kv/k',
    '/namespace/team',
    '/partition/part',
    '/config/service-defaults/web',
    '/connect/intentions/exact?source=a&destination=web',
    '/agent/service/web',
    '/catalog/node/server-1',
    '/acl/role/name/roly',
    '/acl/policy/name/poly',
    '/acl/token/self'
  ]
  await put(server, '/v1/kv/k', '1')
  const { ID: query } = JSON.parse(
    (await server.send('POST', '/v1/query', { body: { Name: 'q', Service: { Service: 'web' } } })).text
  )
  const { ID: session } = JSON.parse((await server.send('PUT', '/v1/session/create', { body: {} })).text)
  resources.push(
    '/acl/auth-method/m',
    `/acl/binding-rule/${bound}`,
    `/query/${query}`,
    `/session/info/${session}`
  )
  for (const resource of resources) {
    t.is((await server.send('GET', `/v1${resource}`)).status, 200, resource)
    const versions = await historyAt(server, `/v1/history${resource}`)
    t.true(versions.length > 0, resource)
  }
})

test('what cannot be answered is refused by its name', async t => {
  const server = await serverInProcess(t)
  await put(server, '/v1/kv/k', '1')
  const cases: readonly (readonly [string, number, RegExp])[] = [
    ['/v1/event/history?key=k', 400, /topic/],
    ['/v1/event/history?topic=KV', 400, /key/],
    ['/v1/event/history?topic=Nothing&key=k', 400, /unknown topic "Nothing"/],
    ['/v1/event/history?topic=KV&key=k&limit=0', 400, /limit/],
    ['/v1/event/history?topic=KV&key=k&limit=1001', 400, /limit/],
    ['/v1/event/history?topic=KV&key=k&before=3&after=1', 400, /before and after/],
    ['/v1/event/history?topic=KV&key=k&befor=3', 400, /Unknown query parameter "befor"/],
    ['/v1/event/history?topic=KV&key=k&node=n', 400, /node/],
    ['/v1/history/kv/k?befor=3', 400, /Unknown query parameter "befor"/],
    ['/v1/history/kv/?recurse', 400, /one resource/],
    ['/v1/history/acl/tokens', 400, /one resource/],
    ['/v1/history/acl/policy/name/gone', 404, /No ACLPolicy has that name now/],
    ['/v1/history/nowhere', 404, /no endpoint/],
    ['/v1/history/kv/other', 404, /The log has no "\/v1\/kv\/other"/]
  ]
  for (const [path, status, text] of cases) {
    const answer = await server.send('GET', path)
    t.is(answer.status, status, path)
    t.regex(answer.text, text, path)
  }
})
