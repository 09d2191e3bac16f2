import test from 'ava'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { secretWith } from '../../support.js'

const put = async (server: TestServer, keys: readonly string[]): Promise<void> => {
  for (const key of keys) await server.send('PUT', `/v1/kv/${key}`, { body: `of ${key}` })
}

const names = async (server: TestServer, path: string): Promise<unknown> => {
  const { status, text } = await server.send('GET', `/v1/kv/${path}`)
  return status === 200 ? JSON.parse(text) : status
}

const indexOf = async (server: TestServer, path: string): Promise<number> =>
  Number((await server.send('GET', `/v1/kv/${path}`)).headers['x-service-index'])

test('recurse, keys and keys cut by a separator come in pages', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  await put(server, ['p/a', 'p/b/1', 'p/b/2', 'p/c', 'p/d/x/y', 'p/e', 'q'])
  t.deepEqual(await names(server, 'p/?keys&limit=2'), ['p/a', 'p/b/1'])
  t.deepEqual(await names(server, 'p/?keys&limit=2&after=p/b/1'), ['p/b/2', 'p/c'])
  t.deepEqual(await names(server, 'p/?keys&separator=/&limit=2'), ['p/a', 'p/b/'])
  t.deepEqual(await names(server, 'p/?keys&separator=/&limit=2&after=p/b/'), ['p/c', 'p/d/'])
  t.deepEqual(await names(server, 'p/?keys&separator=/&after=p/d/'), ['p/e'])
  t.is(await names(server, 'p/?keys&after=p/e'), 404)
  t.is((await server.send('GET', '/v1/kv/p/?recurse&after=p/e')).text, 'No key after "p/e" begins with "p/"')
  const { text } = await server.send('GET', '/v1/kv/p/?recurse&limit=1&after=p/c')
  t.deepEqual(
    JSON.parse(text).map(({ Key }: { readonly Key: string }) => Key),
    ['p/d/x/y']
  )
  for (const limit of ['0', '-1', 'x', '1.5'])
    t.is((await server.send('GET', `/v1/kv/p/?keys&limit=${limit}`)).status, 400)
})

test('keys that are held are listed alone, in pages, of one namespace or all, to who may read them', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const keys = async (path: string, token?: string): Promise<unknown> => {
    const { text } = await server.send('GET', `/v1/kv/${path}`, token === undefined ? {} : { token })
    return JSON.parse(text).map(({ Key }: { readonly Key: string }) => Key)
  }
  t.deepEqual(await keys('?held'), [])
  await put(server, ['free', 'a/free'])
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  const lock = async (key: string, ns: string): Promise<void> => {
    const made = await server.send('PUT', `/v1/session/create?ns=${ns}`, { body: { NodeChecks: [] } })
    await server.send('PUT', `/v1/kv/${key}?ns=${ns}&acquire=${JSON.parse(made.text).ID}`, { body: 'x' })
  }
  for (const key of ['b', 'a/2', 'a/1']) await lock(key, 'default')
  await lock('c', 'team')
  t.deepEqual(await keys('?held'), ['a/1', 'a/2', 'b'])
  t.deepEqual(await keys('a/?held'), ['a/1', 'a/2'])
  t.deepEqual(await keys('none/?held'), [])
  t.deepEqual(await keys('?held&limit=1&after=a/1'), ['a/2'])
  t.deepEqual(await keys('?held&ns=*'), ['a/1', 'a/2', 'b', 'c'])
  t.deepEqual(await keys('?held&ns=*&after=default/b'), ['c'])
  const some = await secretWith(server, 'some', 'key_prefix "a/" { policy = "read" }')
  t.deepEqual(await keys('?held', some), ['a/1', 'a/2'])
  const index = await indexOf(server, '?held')
  const next = server.send('GET', `/v1/kv/?held&index=${index}`)
  await server.send('DELETE', '/v1/kv/b')
  t.false((await next).text.includes('"b"'))
})

test('flags of 64 bits come back exactly, by key and by transaction', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  for (const flags of ['0', '9007199254740993', '18446744073709551615']) {
    await server.send('PUT', `/v1/kv/f?flags=${flags}`, { body: 'x' })
    t.regex((await server.send('GET', '/v1/kv/f')).text, new RegExp(`"Flags":${flags},`))
    const body = `[{"KV":{"Verb":"set","Key":"g","Flags":${flags}}},{"KV":{"Verb":"get","Key":"g"}}]`
    const { text } = await server.send('PUT', '/v1/txn', { body })
    t.is(text.split(`"Flags":${flags},`).length, 3, text)
  }
  for (const flags of ['18446744073709551616', '1e3', '1.0', '-1', '"1"']) {
    const body = `[{"KV":{"Verb":"set","Key":"g","Flags":${flags}}}]`
    t.is((await server.send('PUT', '/v1/txn', { body })).status, 400, flags)
  }
})

test('a value, a transaction and its operations have limits, which the refusals name', async t => {
  const limits = { kv_max_value_size: 100, txn_max_ops: 2, txn_max_body_bytes: 1024 }
  const server = await serverInProcess(t, { log: new MemoryEventLog(), config: { limits } })
  const value = await server.send('PUT', '/v1/kv/k', { body: 'x'.repeat(101) })
  t.is(value.status, 413)
  t.regex(value.text, /101 bytes.* 100 bytes .*limits\.kv_max_value_size/)
  t.is((await server.send('PUT', '/v1/kv/k', { body: 'x'.repeat(100) })).status, 200)
  const get = { KV: { Verb: 'get', Key: 'k' } }
  const many = await server.send('PUT', '/v1/txn', { body: [get, get, get] })
  t.is(many.status, 413)
  t.regex(many.text, /3 > 2.*limits\.txn_max_ops/)
  const long = await server.send('PUT', '/v1/txn', { body: [{ KV: { ...get.KV, Key: 'x'.repeat(1024) } }] })
  t.is(long.status, 413)
  t.regex(long.text, /1024 bytes .*limits\.txn_max_body_bytes/)
  const inside = { KV: { Verb: 'set', Key: 'k', Value: Buffer.alloc(101).toString('base64') } }
  const inTransaction = await server.send('PUT', '/v1/txn', { body: [inside] })
  t.is(inTransaction.status, 413)
  t.regex(inTransaction.text, /101 bytes.*limits\.kv_max_value_size/)
})

test('the index of a prefix tells of removals, and of nothing outside', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  await put(server, ['a/1', 'a/2', 'b/1'])
  const before = await indexOf(server, 'a/?recurse')
  await server.send('DELETE', '/v1/kv/a/1')
  const removed = await indexOf(server, 'a/?recurse')
  t.true(removed > before)
  await put(server, ['b/2', 'ab'])
  t.is(await indexOf(server, 'a/?recurse'), removed)
  t.is(await indexOf(server, 'a/1?recurse'), removed)
})

test('a write wakes the blocking queries for its key or a prefix of it, and no others', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  await put(server, ['a/1', 'a/2', 'b/1'])
  const answered: string[] = []
  const { watch } = server.app.views
  const wait = async (path: string, query: string): Promise<void> => {
    const index = await indexOf(server, path + query)
    const { size } = watch
    const url = `/v1/kv/${path}${query === '' ? '?' : `${query}&`}index=${index}&wait=60s`
    void server.send('GET', url).then(() => answered.push(path))
    await until('it waits', () => watch.size > size)
  }
  await wait('a/1', '')
  await wait('a/2', '')
  await wait('missing', '')
  await wait('a/', '?recurse')
  await wait('b/', '?keys')
  await wait('c', '?keys&separator=/')
  await put(server, ['a/1'])
  await server.send('PUT', '/v1/kv/a/1', { body: 'changed' })
  await until('both are awake', () => answered.length === 2)
  t.deepEqual(answered.toSorted(), ['a/', 'a/1'])
  await put(server, ['missing', 'c/d'])
  await until('two more are awake', () => answered.length === 4)
  t.deepEqual(answered.toSorted(), ['a/', 'a/1', 'c', 'missing'])
})

test('a list says that rights shortened it, but not to strangers', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  await put(server, ['a/1', 'b/1'])
  const token = await secretWith(server, 'reader', 'key_prefix "a/" { policy = "read" }')
  const { headers, text } = await server.send('GET', '/v1/kv/?keys', { token })
  t.deepEqual(JSON.parse(text), ['a/1'])
  t.is(headers['x-service-results-filtered-by-acls'], 'true')
  const all = await server.send('GET', '/v1/kv/?keys')
  t.is(all.headers['x-service-results-filtered-by-acls'], undefined)
  const stranger = await server.send('GET', '/v1/kv/?keys', { token: undefined })
  t.is(stranger.headers['x-service-results-filtered-by-acls'], undefined)
})

test('with the setting for it, lists ask for list on the prefix', async t => {
  const acl = {
    enabled: true,
    default_policy: 'deny',
    enable_key_list_policy: true,
    tokens: { initial_management: 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55' }
  }
  const server = await serverInProcess(t, { log: new MemoryEventLog(), config: { acl } })
  await put(server, ['a/1'])
  const token = await secretWith(server, 'reader', 'key_prefix "a/" { policy = "read" }')
  t.is((await server.send('GET', '/v1/kv/a/?keys', { token })).status, 403)
  const lister = await secretWith(server, 'lister', 'key_prefix "a/" { policy = "list" }')
  t.is((await server.send('GET', '/v1/kv/a/?keys', { token: lister })).status, 200)
})
