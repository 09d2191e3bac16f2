import test from 'ava'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MINUTE_MS, TokenUse } from '../../http/wire/token-use.js'
import { serverInProcess, type TestServer } from '../support/server.js'
import { temporaryFolder } from '../support/process.js'
import { createToken } from '../http/support.js'

const listed = async (server: TestServer, query: string): Promise<readonly string[]> => {
  const { status, text } = await server.send('GET', `/v1/acl/tokens?${query}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  const list: readonly { readonly Description: string }[] = JSON.parse(text)
  return list.map(({ Description }) => Description).toSorted()
}

test('uses are noted to the minute, and only the first one of a minute changes anything', t => {
  const use = new TokenUse()
  t.is(use.lastUsed('a'), undefined)
  use.note('a', 61_000)
  use.note('a', 119_000)
  t.is(use.lastUsed('a'), 60_000)
  t.is(use.lastUsedText('a'), '1970-01-01T00:01:00Z')
  t.deepEqual(use.takeChanged(), [['a', 1]])
  use.note('a', 100_000)
  t.deepEqual(use.takeChanged(), [])
  use.note('a', 120_000)
  t.deepEqual(use.takeChanged(), [['a', 2]])
  use.recall('a', 1)
  t.is(use.lastUsed('a'), 120_000)
  t.deepEqual(
    use.keep(() => false),
    []
  )
  t.is(use.lastUsed('a'), undefined)
})

test('what changed since a version is known for some thousand changes', t => {
  const use = new TokenUse()
  use.note('a', MINUTE_MS)
  const { version } = use
  t.deepEqual(use.changedSince(version), [])
  t.deepEqual(use.changedSince(0), ['a'])
  use.note('a', MINUTE_MS + 1)
  t.is(use.version, version)
  use.recall('b', 1)
  use.note('a', 2 * MINUTE_MS)
  t.deepEqual(use.changedSince(version), ['b', 'a'])
  for (let i = 3; i < 10_000; i++) use.note('c', i * MINUTE_MS)
  t.is(use.changedSince(version), undefined)
  t.deepEqual(use.changedSince(use.version - 2), ['c', 'c'])
})

test('a token shows the minute of its last use, and the list finds unused tokens', async t => {
  const server = await serverInProcess(t)
  const used = await createToken(server, { Description: 'used' })
  const idle = await createToken(server, { Description: 'idle' })
  t.false('LastUsed' in used)
  const self = async () =>
    JSON.parse((await server.send('GET', '/v1/acl/token/self', { token: used.SecretID })).text)
  const { LastUsed } = await self()
  t.regex(LastUsed, /^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/)
  const read = async (accessor: string) =>
    JSON.parse((await server.send('GET', `/v1/acl/token/${accessor}`)).text)
  t.is((await read(used.AccessorID)).LastUsed, LastUsed)
  t.is((await read(idle.AccessorID)).LastUsed, undefined)
  t.is((await read(used.AccessorID)).ModifyIndex, used.ModifyIndex)
  t.deepEqual(await listed(server, 'unused-since=1h'), ['Anonymous Token', 'idle'])
  const uses = async (query: string, token?: string): Promise<unknown> => {
    const { text } = await server.send('GET', `/v1/acl/tokens/last-used${query}`, token ? { token } : {})
    return JSON.parse(text)
  }
  t.like(await uses('?ns=*'), { [used.AccessorID]: LastUsed })
  t.like(await uses(''), { [used.AccessorID]: LastUsed })
  t.false(idle.AccessorID in Object(await uses('')))
  t.deepEqual(await uses('?ns=*', used.SecretID), {})
  t.is((await server.send('GET', '/v1/acl/tokens/last-used', { token: used.SecretID })).status, 403)
  server.clock.advance(2 * 60 * 60_000)
  t.deepEqual(await listed(server, 'unused-since=1h'), ['Anonymous Token', 'idle', 'used'])
  t.deepEqual(await listed(server, `unused-since=${LastUsed}`), ['Anonymous Token', 'idle'])
  t.deepEqual(await listed(server, `filter=LastUsed+==+"${LastUsed}"`), ['used'])
  const { status, text } = await server.send('GET', '/v1/acl/tokens?unused-since=x')
  t.is(status, 400)
  t.regex(text, /unused-since "x" is neither/)
})

test('last uses survive a restart, and are no part of the log', async t => {
  const dataDir = temporaryFolder(t)
  const first = await serverInProcess(t, { dataDir })
  const { SecretID, AccessorID } = await createToken(first, {})
  const index = first.app.views.index
  const { LastUsed } = JSON.parse((await first.send('GET', '/v1/acl/token/self', { token: SecretID })).text)
  t.is(first.app.views.index, index)
  await first.close()
  t.regex(readFileSync(join(dataDir, 'token-use.txt'), 'utf8'), new RegExp(`^${AccessorID} \\d+$`, 'm'))
  const second = await serverInProcess(t, { dataDir })
  t.is(JSON.parse((await second.send('GET', `/v1/acl/token/${AccessorID}`)).text).LastUsed, LastUsed)
})

test('lists of tokens, policies and roles take filter expressions, which cannot ask for secrets', async t => {
  const server = await serverInProcess(t)
  const body = { Name: 'ops', Rules: 'operator = "read"' }
  await server.send('PUT', '/v1/acl/policy', { body })
  await server.send('PUT', '/v1/acl/role', { body: { Name: 'r', Policies: [{ Name: 'ops' }] } })
  await server.send('PUT', '/v1/acl/role', { body: { Name: 's' } })
  await createToken(server, { Description: 'a', Policies: [{ Name: 'ops' }], Local: true })
  await createToken(server, { Description: 'b', ServiceIdentities: [{ ServiceName: 'web' }] })
  t.deepEqual(await listed(server, 'filter=Policies.Name+==+ops+and+Local+==+true'), ['a'])
  t.deepEqual(await listed(server, 'filter=ServiceIdentities.ServiceName+==+web'), ['b'])
  const names = async (path: string) =>
    JSON.parse((await server.send('GET', path)).text).map(({ Name }: { readonly Name: string }) => Name)
  t.deepEqual(
    await names('/v1/acl/policies?filter=Rules+contains+operator+and+Name+!=+"global-management"'),
    ['ops']
  )
  t.deepEqual(await names('/v1/acl/roles?filter=Policies+is+not+empty'), ['r'])
  for (const path of ['tokens?filter=SecretID+matches+"^a"', 'roles?filter=Nme+==+x', 'policies?filter=(']) {
    const { status, text } = await server.send('GET', `/v1/acl/${path}`)
    t.is(status, 400)
    t.regex(text, /^Failed to create boolean expression evaluator/)
  }
})
