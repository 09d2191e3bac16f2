import test from 'ava'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AccessUsageStore } from '../../http/wire/access-usage-store.js'
import { createToken } from '../http/support.js'
import { temporaryFolder } from '../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../support/server.js'
import { until } from '../support/wait.js'

const RULES = `
  key_prefix "app/" { policy = "write" }
  key_prefix "app/secret/" { policy = "deny" }
  service_prefix "" { policy = "read" }
  node_prefix "" { policy = "read" }
  session_prefix "" { policy = "write" }
`

const tokenWith = async (server: TestServer, rules: string) => {
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'app', Rules: rules } })
  return createToken(server, { Policies: [{ Name: 'app' }] })
}

/** The questions of a token: `key:read app/a`, with `*` for a prefix and `!` for a denial, and how often. */
const questionsOf = (server: TestServer, accessor: string): Readonly<Record<string, number>> => {
  const store = server.scope.resolve(AccessUsageStore)
  store.observe()
  const found: Record<string, number> = {}
  for (const subject of store.questions.subjects())
    if (subject.accessor === accessor)
      for (const { resource, access, segment, extent, isAllowed, count } of store.questions.of(subject))
        found[`${isAllowed ? '' : '!'}${resource}:${access} ${segment}${extent === 'one' ? '' : '*'}`] = count
  return found
}

test('decisions for a request count one by one, and those for rows once for each rule', async t => {
  const server = await serverInProcess(t)
  const { SecretID: token, AccessorID } = await tokenWith(server, RULES)
  for (const key of ['app/a', 'app/b', 'app/secret/c'])
    await server.send('PUT', `/v1/kv/${key}`, { body: key })
  await server.send('GET', '/v1/kv/app/a', { token })
  await server.send('GET', '/v1/kv/app/a', { token })
  t.is((await server.send('GET', '/v1/kv/app/secret/c', { token })).status, 403)
  t.is((await server.send('PUT', '/v1/kv/other', { body: 'x', token })).status, 403)
  t.deepEqual(questionsOf(server, AccessorID), {
    'key:read app/a': 2,
    '!key:read app/secret/c': 1,
    '!key:write other': 1
  })
  // A list counts the rule that shows its rows, and no denial for hidden ones.
  t.is((await server.send('GET', '/v1/kv/?recurse', { token })).status, 200)
  t.like(questionsOf(server, AccessorID), { 'key:read app/*': 1, '!key:read app/secret/c': 1 })
  const operations = ['app/x', 'app/y'].map(Key => ({ KV: { Verb: 'set', Key, Value: '' } }))
  t.is((await server.send('PUT', '/v1/txn', { body: operations, token })).status, 200)
  t.like(questionsOf(server, AccessorID), { 'key:write app/x': 1, 'key:write app/y': 1 })
})

test('rows of one name count as this name, and those of several as a list', async t => {
  const server = await serverInProcess(t)
  const { SecretID: token, AccessorID } = await tokenWith(server, RULES)
  for (const Service of ['web', 'api'])
    await server.send('PUT', '/v1/catalog/register', {
      body: { Node: 'n', Address: '192.0.2.1', Service: { Service } }
    })
  await server.send('GET', '/v1/health/service/web', { token })
  t.like(questionsOf(server, AccessorID), { 'service:read web': 1, 'node:read-all ': 1 })
  await server.send('GET', '/v1/catalog/services', { token })
  t.like(questionsOf(server, AccessorID), { 'service:read *': 1, 'service:read web': 1 })
})

test('an answer from cached bytes credits the rules it was built with', async t => {
  const server = await serverInProcess(t)
  const { SecretID: token, AccessorID } = await tokenWith(server, RULES)
  for (const key of ['app/a', 'app/b']) await server.send('PUT', `/v1/kv/${key}`, { body: 'x'.repeat(5000) })
  for (let i = 0; i < 3; i++) await server.send('GET', '/v1/kv/app/?recurse', { token })
  t.deepEqual(questionsOf(server, AccessorID), { 'key:read app/*': 3 })
})

test('probes, explanations, dry runs, repeats and repeated reads of blocking queries do not count', async t => {
  const server = await serverInProcess(t)
  const { SecretID: token, AccessorID } = await tokenWith(server, RULES)
  const body = [{ Resource: 'key', Access: 'read', Segment: 'app/a' }]
  await server.send('POST', '/v1/internal/acl/authorize', { body, token })
  await server.send('POST', '/v1/acl/explain', { body: { ...body[0], Token: token }, token })
  const change = { Kind: 'kv', Key: 'app/z', Value: 'x' }
  await server.send('POST', '/v1/changes?dry-run', { body: { Changes: [change] }, token })
  t.deepEqual(questionsOf(server, AccessorID), {})
  const manager = await createToken(server, { Policies: [{ Name: 'global-management' }] })
  const { ID, Name } = JSON.parse((await server.send('GET', '/v1/acl/policy/name/app')).text)
  const impact = { body: { Name, Rules: '' }, token: manager.SecretID }
  t.is((await server.send('POST', `/v1/acl/policy/${ID}/impact`, impact)).status, 200)
  t.false('acl:write ' in questionsOf(server, manager.AccessorID))
  const headers = { 'X-Service-Idempotency-Key': 'once' }
  for (let i = 0; i < 2; i++) await server.send('PUT', '/v1/kv/app/k', { body: 'x', token, headers })
  t.deepEqual(questionsOf(server, AccessorID), { 'key:write app/k': 1 })
  const { headers: read } = await server.send('GET', '/v1/kv/app/k', { token })
  const index = String(read['x-service-index'])
  const blocked = server.send('GET', `/v1/kv/app/k?index=${index}`, { token })
  while (questionsOf(server, AccessorID)['key:read app/k'] !== 2)
    await new Promise(resolve => setImmediate(resolve))
  await server.send('PUT', '/v1/kv/app/k', { body: 'y' })
  t.is((await blocked).status, 200)
  t.like(questionsOf(server, AccessorID), { 'key:read app/k': 2 })
})

test('a list that blocks counts once, by the rules that show its rows in the end', async t => {
  const server = await serverInProcess(t)
  const { SecretID: token, AccessorID } = await tokenWith(server, RULES)
  await server.send('PUT', '/v1/kv/app/a', { body: 'x' })
  const { headers: listed } = await server.send('GET', '/v1/kv/app/?recurse', { token: ROOT })
  const index = String(listed['x-service-index'])
  const opened = server.app.views.watch.size
  const blocked = server.send('GET', `/v1/kv/app/?recurse&index=${index}`, { token })
  await until('it waits', () => server.app.views.watch.size > opened)
  for (const key of ['other', 'app/b']) await server.send('PUT', `/v1/kv/${key}`, { body: 'x' })
  t.is((await blocked).status, 200)
  t.deepEqual(questionsOf(server, AccessorID), { 'key:read app/*': 1 })
})

test('the anonymous token counts, and nothing is recorded while the setting is off', async t => {
  const server = await serverInProcess(t)
  await server.send('GET', '/v1/kv/a', { token: '' })
  t.deepEqual(questionsOf(server, '00000000-0000-0000-0000-000000000002'), { '!key:read a': 1 })
  const off = await serverInProcess(t, { config: { acl: { usage: { enabled: false } } } })
  await off.send('GET', '/v1/kv/a', { token: '' })
  t.deepEqual(questionsOf(off, '00000000-0000-0000-0000-000000000002'), {})
  t.deepEqual(off.scope.resolve(AccessUsageStore).coverage.days, [])
})

test('questions survive a restart, and a damaged file is a gap', async t => {
  const dataDir = temporaryFolder(t)
  const first = await serverInProcess(t, { dataDir })
  const { SecretID: token, AccessorID } = await tokenWith(first, RULES)
  await first.send('GET', '/v1/kv/app/a', { token })
  await first.close()
  const folder = join(dataDir, 'access-usage')
  const [name = ''] = readdirSync(folder)
  const path = join(folder, name)
  t.false(readFileSync(path, 'utf8').includes(token))
  const second = await serverInProcess(t, { dataDir })
  t.deepEqual(questionsOf(second, AccessorID), { 'key:read app/a': 1 })
  await second.send('GET', '/v1/kv/app/a', { token })
  await second.close()
  const third = await serverInProcess(t, { dataDir })
  t.deepEqual(questionsOf(third, AccessorID), { 'key:read app/a': 2 })
  await third.close()
  writeFileSync(path, readFileSync(path, 'utf8').replace('app/a', 'app/b'))
  const fourth = await serverInProcess(t, { dataDir })
  t.deepEqual(questionsOf(fourth, AccessorID), {})
  t.is(fourth.scope.resolve(AccessUsageStore).coverage.since(0).observed.length, 1)
})

test('erasure reaches the names of erased resources and the questions of an erased caller', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  const { SecretID: token, AccessorID } = await tokenWith(server, RULES)
  const long = `app/customer-2/${'x'.repeat(510)}`
  for (const key of ['app/customer-1', 'app/kept', long])
    t.is((await server.send('PUT', `/v1/kv/${key}`, { body: 'x', token })).status, 200)
  const store = server.scope.resolve(AccessUsageStore)
  const erased = { Topic: 'KV', Key: 'app/customer-1', Namespace: 'default', Partition: 'default', UpTo: 99 }
  await store.erase(erased)
  await store.erase({ ...erased, Key: long })
  const stored = () =>
    readdirSync(join(dataDir, 'access-usage'))
      .map(name => readFileSync(join(dataDir, 'access-usage', name), 'utf8'))
      .join('')
  t.deepEqual(questionsOf(server, AccessorID), { 'key:write app/kept': 1 })
  t.notRegex(stored(), /customer-[12]/)
  t.true(stored().includes('app/kept'))
  await store.erase({ Part: 'who', Accessor: AccessorID, UpTo: 99 })
  t.false(stored().includes(AccessorID))
})

test('prepared queries, cached answers, counts of an audit and the opening of streams count', async t => {
  const server = await serverInProcess(t)
  const { SecretID: token, AccessorID } = await tokenWith(server, RULES)
  await server.send('PUT', '/v1/catalog/register', {
    body: { Node: 'n', Address: '192.0.2.1', Service: { Service: 'web' } }
  })
  await server.send('POST', '/v1/query', { body: { Name: 'q', Service: { Service: 'web' } } })
  for (let i = 0; i < 2; i++) t.is((await server.send('GET', '/v1/query/q/execute', { token })).status, 200)
  t.like(questionsOf(server, AccessorID), { 'service:read web': 2, 'node:read n': 2 })
  for (let i = 0; i < 2; i++)
    t.is((await server.send('GET', '/v1/discovery-chain/web?cached', { token })).status, 200)
  t.like(questionsOf(server, AccessorID), { 'service:read web': 4 })
  const stream = await server.send('GET', '/v1/event/stream?topic=KV:app/a&index=1&until=now', { token })
  t.is(stream.status, 200, stream.text)
  t.like(questionsOf(server, AccessorID), { 'key:read app/a': 1, 'key:read app/*': 1 })
  const facets = await server.send('GET', '/v1/event/audit/facets?topic=KV', { token })
  t.is(facets.status, 200, facets.text)
  t.like(questionsOf(server, AccessorID), { 'key:read app/*': 2 })
})
