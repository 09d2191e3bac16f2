// Owner labels, tokens of specifications, and reverts of change sets.
import test, { type ExecutionContext } from 'ava'
import type { Commit } from '../../../../events/envelope.js'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { createPolicy, secretWith } from '../../support.js'
import { done, newest, read } from '../events/reverts.js'
import { actionsOf, apply, EVERY_KIND, send, type ChangeSetOutcome } from './change-sets.js'

const all = EVERY_KIND

const plan = (t: ExecutionContext, server: TestServer, body: object) => apply(t, server, body, '?dry-run')
const changed = ({ Changes }: ChangeSetOutcome) => Changes.filter(({ Action }) => Action !== 'none')

test('all kinds are created in the order of their references, and then nothing is to change', async t => {
  const server = await serverInProcess(t)
  const set = { Owner: 'platform', Changes: all }
  const planned = await plan(t, server, set)
  t.true(
    planned.Changes.every(({ Action }) => Action === 'create'),
    JSON.stringify(planned.Changes.filter(({ Refusal }) => Refusal))
  )
  const { Index } = await apply(t, server, set)
  t.is(server.app.views.index, Index ?? 0)
  t.deepEqual(changed(await plan(t, server, { ...set, Prune: true })), [])
})

test('Prune deletes what the owner had and no longer declares, and nothing of others', async t => {
  const server = await serverInProcess(t)
  await done(t, server, 'PUT', '/v1/kv/free', '1')
  await apply(t, server, { Owner: 'platform', Changes: all })
  await apply(t, server, { Owner: 'apps', Changes: [{ Kind: 'key', Name: 'app', Body: { Value: 'MQ==' } }] })
  const planned = await plan(t, server, { Owner: 'platform', Prune: true, Changes: [] })
  t.is(planned.Changes.length, all.length)
  t.true(planned.Changes.every(({ Action, Index }) => Action === 'delete' && Index > 0))
  const Changes = planned.Changes.map(({ Kind, Name, Namespace, Index }) => ({
    Kind,
    Name,
    ...(Namespace === undefined ? {} : { Namespace }),
    Index,
    Delete: true
  }))
  await apply(t, server, { Owner: 'platform', Changes })
  t.is((await server.send('GET', '/v1/kv/free?raw')).text, '1')
  t.is((await server.send('GET', '/v1/kv/app?raw')).text, '1')
  t.is(await read(server, '/v1/kv/web/port'), 404)
})

test('a resource of another owner is refused; one without an owner is adopted', async t => {
  const server = await serverInProcess(t)
  const key = { Kind: 'key', Name: 'a', Body: { Value: 'MQ==' } }
  await apply(t, server, { Changes: [key] })
  t.deepEqual(actionsOf(await apply(t, server, { Owner: 'one', Changes: [key] })), ['adopt key a'])
  const { status, text, headers } = await send(server, { Owner: 'two', Changes: [key] })
  t.is(status, 409, text)
  t.is(headers['x-service-error-code'], 'changes.other-owner')
  t.is(text, 'key "a" belongs to the owner "one", not to "two"')
  await done(t, server, 'DELETE', '/v1/kv/a')
  t.deepEqual(actionsOf(await apply(t, server, { Owner: 'two', Changes: [key] })), ['create key a'])
})

test('a token of a specification keeps its secret, also after a rotation', async t => {
  const server = await serverInProcess(t)
  const set = (Description: string) => ({
    Owner: 'platform',
    Changes: [{ Kind: 'token', Name: 'ci', Body: { Description } }]
  })
  const created = (await apply(t, server, set('first'))).Changes[0]?.SecretID
  t.regex(created ?? '', /^[0-9a-f-]{36}$/)
  const own: { readonly AccessorID: string } = JSON.parse(
    (await server.send('GET', '/v1/acl/token/self', { token: created })).text
  )
  t.like(own, { Specification: 'platform/ci' })
  const { text } = await server.send('PUT', `/v1/acl/token/${own.AccessorID}/rotate?grace=10m`)
  const rotated: { readonly AccessorID: string; readonly SecretID: string } = JSON.parse(text)
  t.deepEqual(actionsOf(await plan(t, server, set('first'))), ['none token ci'])
  const updated = (await apply(t, server, set('second'))).Changes[0]
  t.like(updated, { Action: 'update', SecretID: undefined })
  const { text: after } = await server.send('GET', '/v1/acl/token/self', { token: rotated.SecretID })
  t.like(JSON.parse(after), { AccessorID: rotated.AccessorID, Description: 'second' })
  // An ordinary update without the field keeps it.
  await done(t, server, 'PUT', `/v1/acl/token/${rotated.AccessorID}`, { Description: 'second' })
  t.deepEqual(actionsOf(await plan(t, server, set('second'))), ['none token ci'])
  const pruned = await plan(t, server, { Owner: 'platform', Prune: true, Changes: [] })
  t.deepEqual(actionsOf(pruned), ['delete token ci'])
})

test('a hidden secret is kept, and another one changes', async t => {
  const server = await serverInProcess(t)
  const query = (Token: string) => ({
    Changes: [{ Kind: 'query', Name: 'web', Body: { Service: { Service: 'web' }, Token } }]
  })
  const secret = await secretWith(server, 'q', 'service "web" { policy = "read" }')
  await apply(t, server, query(secret))
  t.deepEqual(actionsOf(await plan(t, server, query('<hidden>'))), ['none query web'])
  const other = await plan(t, server, query(''))
  t.like(other.Changes[0], { Action: 'update', SecretsChange: true })
  t.false(JSON.stringify(other).includes(secret))
})

test('owners are the same after a replay of the log', async t => {
  const server = await serverInProcess(t)
  await apply(t, server, { ID: 'one', Owner: 'platform', Changes: all })
  const { views, log } = server.app
  const { Views } = await import('../../../../projections/read-models.js')
  const replayed = new Views(views.settings)
  for await (const commit of log.read(1)) replayed.apply(commit)
  t.deepEqual([...replayed.changeSets.owned('platform')], [...views.changeSets.owned('platform')])
  t.deepEqual(replayed.changeSets.commitsOf('one'), views.changeSets.commitsOf('one'))
  const loaded = new Views(views.settings)
  const saved = loaded.saved()
  for (const [name, rows] of views.saved().parts()) saved.load(name, JSON.stringify([...rows]))
  saved.end(views.index)
  t.deepEqual([...loaded.changeSets.owned('platform')], [...views.changeSets.owned('platform')])
  t.deepEqual(loaded.changeSets.commitsOf('one'), views.changeSets.commitsOf('one'))
})

const revert = (server: TestServer, id: string, query = '', token?: string) =>
  server.send('POST', `/v1/changes/${id}/revert${query}`, token === undefined ? {} : { token })

test('a revert undoes all changes of a change set in one commit', async t => {
  const server = await serverInProcess(t)
  await done(t, server, 'PUT', '/v1/kv/changed', '1')
  await done(t, server, 'PUT', '/v1/kv/deleted', '1')
  const policy = await createPolicy(server, 'deleted', 'key "a" { policy = "read" }')
  const keys = [
    { Kind: 'key', Name: 'changed', Body: { Value: 'Mg==' } },
    { Kind: 'key', Name: 'deleted', Delete: true },
    { Kind: 'policy', Name: 'deleted', Delete: true }
  ]
  const { Index } = await apply(t, server, { ID: 'set', Owner: 'o', Changes: [...all, ...keys] })
  const would = await revert(server, 'set', '?dry-run')
  t.is(would.status, 200, would.text)
  t.is(server.app.views.index, Index ?? 0)
  const { status, text } = await revert(server, 'set')
  t.is(status, 200, text)
  const outcome: ChangeSetOutcome = JSON.parse(text)
  t.is(outcome.Index, (Index ?? 0) + 1)
  t.like((await newest(server)).By, { Command: 'ApplyChangeSet', ChangeSet: outcome.ID, Cause: Index })
  t.is((await server.send('GET', '/v1/kv/changed?raw')).text, '1')
  t.is((await server.send('GET', '/v1/kv/deleted?raw')).text, '1')
  t.like(await read(server, `/v1/acl/policy/${policy}`), { Name: 'deleted' })
  t.is(await read(server, '/v1/kv/web/port'), 404)
  t.is(await read(server, '/v1/acl/role/name/deployer'), 404)
  t.is(await read(server, '/v1/config/service-defaults/web'), 404)
})

test('a revert stops where others changed a resource since', async t => {
  const server = await serverInProcess(t)
  const keys = ['a', 'b'].map(Name => ({ Kind: 'key', Name, Body: { Value: 'MQ==' } }))
  await apply(t, server, { ID: 'set', Changes: keys })
  await done(t, server, 'PUT', '/v1/kv/b', '2')
  const { status, text } = await revert(server, 'set')
  t.is(status, 409)
  t.regex(text, /^key "b" changed since/)
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, '1')
  const token = await secretWith(server, 'none', '')
  t.is((await revert(server, 'set', '', token)).status, 403)
  t.is((await revert(server, 'unknown')).status, 404)
})

test('a revert undoes all commits of a change set in parts', async t => {
  const server = await serverInProcess(t)
  const key = (Name: string, Value: string) => ({ Kind: 'key', Name, Body: { Value } })
  await apply(t, server, { ID: 'set', Changes: [key('a', 'MQ==')] })
  await apply(t, server, { ID: 'set', Changes: [key('b', 'MQ=='), key('a', 'Mg==')] })
  t.is((await revert(server, 'set')).status, 200)
  t.is(await read(server, '/v1/kv/a'), 404)
  t.is(await read(server, '/v1/kv/b'), 404)
})

test('a change set has at most 1,000 commits', async t => {
  const body = { ID: 'set', Changes: [{ Kind: 'key', Name: 'a', Body: { Value: 'MQ==' } }] }
  const first = await serverInProcess(t)
  await apply(t, first, body)
  const log = new MemoryEventLog()
  const commits: Commit[] = []
  for await (const commit of first.app.log.read(1)) commits.push(commit)
  const last = await newest(first)
  const copies = Array.from({ length: 998 }, (_, at) => ({ ...last, Index: last.Index + at + 1 }))
  await log.append([...commits, ...copies])
  const server = await serverInProcess(t, { log })
  await apply(t, server, { ...body, Changes: [{ ...body.Changes[0], Body: { Value: 'Mg==' } }] })
  const { status, text } = await send(server, body)
  t.is(status, 400)
  t.regex(text, /has 1000 commits already/)
})
