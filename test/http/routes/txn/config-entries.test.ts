// Configuration entries in transactions: all or none, checked together (users.md 51).
import test from 'ava'
import type { TestResponse } from '../../../support/client.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { indexOf, secretWith } from '../../support.js'

interface Body {
  readonly Results: readonly { readonly ConfigEntry: Readonly<Record<string, unknown>> }[] | null
  readonly Errors:
    readonly { readonly OpIndex: number; readonly What: string; readonly Code: string }[] | null
}

const bodyOf = ({ text }: TestResponse): Body => JSON.parse(text)

const txn = (server: TestServer, operations: readonly (readonly [string, object])[], token?: string) =>
  server.send('PUT', '/v1/txn', {
    body: operations.map(([Verb, ConfigEntry]) => ({ ConfigEntry: { Verb, ConfigEntry } })),
    ...(token === undefined ? {} : { token })
  })

const defaults = (Name: string, Protocol: string) => ({ Kind: 'service-defaults', Name, Protocol })
const router = { Kind: 'service-router', Name: 'web', Routes: [{ Destination: { Service: 'api' } }] }

test('entries that hold only together are stored in one commit, in whatever order they come', async t => {
  const server = await serverInProcess(t)
  const answer = await txn(server, [
    ['set', router],
    ['set', defaults('web', 'HTTP')],
    ['set', defaults('api', 'http')]
  ])
  t.is(answer.status, 200, answer.text)
  const entries = bodyOf(answer).Results?.map(({ ConfigEntry }) => ConfigEntry) ?? []
  t.deepEqual(
    entries.map(({ Kind, Name, ModifyIndex }) => [Kind, Name, ModifyIndex]),
    [
      ['service-router', 'web', indexOf(answer)],
      ['service-defaults', 'web', indexOf(answer)],
      ['service-defaults', 'api', indexOf(answer)]
    ]
  )
  t.is(entries[1]?.['Protocol'], 'http')
  const chain = await server.send('GET', '/v1/discovery-chain/web')
  t.true(chain.text.includes('router:web.default'))
  const other = await txn(server, [
    ['set', defaults('api', 'grpc')],
    ['set', defaults('web', 'grpc')]
  ])
  t.is(other.status, 200, other.text)
})

test('entries that do not fit together are refused all, with every fault named', async t => {
  const server = await serverInProcess(t)
  const before = server.app.views.index
  const answer = await txn(server, [
    ['set', defaults('web', 'http')],
    ['set', router],
    ['get', { Kind: 'service-defaults', Name: 'web' }]
  ])
  t.is(answer.status, 409)
  const [fault] = bodyOf(answer).Errors ?? []
  t.is(fault?.OpIndex, 1)
  t.is(fault?.Code, 'invalid')
  t.regex(fault?.What ?? '', /inconsistent protocols; service "api" has "tcp"/)
  t.is(server.app.views.index, before)
  t.is((await server.send('GET', '/v1/config/service-defaults/web')).status, 404)
})

test('cas and delete-cas ask for the index of the last change', async t => {
  const server = await serverInProcess(t)
  const made = await txn(server, [['cas', defaults('web', 'http')]])
  t.is(made.status, 200, made.text)
  const at = (ModifyIndex: number) => ({ ...defaults('web', 'grpc'), ModifyIndex })
  for (const verb of ['cas', 'delete-cas']) {
    const stale = await txn(server, [[verb, at(indexOf(made) - 1)]])
    t.is(stale.status, 409)
    t.is(bodyOf(stale).Errors?.[0]?.Code, 'stale')
  }
  const changed = await txn(server, [['cas', at(indexOf(made))]])
  t.is(changed.status, 200, changed.text)
  const gone = await txn(server, [['delete-cas', { ...at(indexOf(changed)), Name: 'WEB' }]])
  t.is(gone.status, 200, gone.text)
  t.is((await server.send('GET', '/v1/config/service-defaults/web')).status, 404)
})

test('a deletion shows nothing, and a get what those before it did; what changes nothing has no index', async t => {
  const server = await serverInProcess(t)
  const answer = await txn(server, [
    ['set', defaults('a', 'http')],
    ['set', defaults('b', 'http')],
    ['delete', { Kind: 'service-defaults', Name: 'a' }],
    ['get', { Kind: 'service-defaults', Name: 'B' }]
  ])
  t.deepEqual(
    bodyOf(answer).Results?.map(({ ConfigEntry }) => ConfigEntry['Name']),
    ['a', 'b', 'b']
  )
  const { index } = server.app.views
  const again = await txn(server, [['set', defaults('b', 'HTTP')]])
  t.is(again.status, 200)
  t.is(server.app.views.index, index)
  const missing = await txn(server, [['get', { Kind: 'service-defaults', Name: 'a' }]])
  t.is(bodyOf(missing).Errors?.[0]?.Code, 'missing')
})

test('rights are those of the kinds, for each operation', async t => {
  const server = await serverInProcess(t)
  await txn(server, [['set', defaults('hidden', 'http')]])
  const rules = 'service "web" { policy = "write" } service "api" { policy = "read" }'
  const token = await secretWith(server, 'web', rules)
  const refused = await txn(
    server,
    [
      ['set', defaults('web', 'http')],
      ['set', defaults('api', 'http')],
      ['delete', { Kind: 'mesh' }]
    ],
    token
  )
  t.deepEqual(
    bodyOf(refused).Errors?.map(({ OpIndex, Code }) => [OpIndex, Code]),
    [
      [1, 'denied'],
      [2, 'denied']
    ]
  )
  const read = await txn(server, [['get', { Kind: 'service-defaults', Name: 'hidden' }]], token)
  t.deepEqual(bodyOf(read).Results, [])
})

test('a broken rule of an entry is a failed operation; what is no entry is a bad body', async t => {
  const server = await serverInProcess(t)
  const broken = await txn(server, [
    ['set', { Kind: 'service-splitter', Name: 'web', Splits: [{ Weight: 50 }] }],
    ['set', defaults('', 'http')],
    ['move', defaults('web', 'http')]
  ])
  t.is(broken.status, 409)
  t.deepEqual(
    bodyOf(broken).Errors?.map(({ OpIndex }) => OpIndex),
    [0, 1]
  )
  const unknown = await txn(server, [['move', defaults('web', 'http')]])
  t.regex(bodyOf(unknown).Errors?.[0]?.What ?? '', /unknown ConfigEntry verb "move"/)
  for (const entry of [{ Kind: 'other', Name: 'x' }, { Name: 'x' }, { ...defaults('x', 'y'), Further: 1 }]) {
    const { status, text } = await txn(server, [['set', entry]])
    t.is(status, 400)
    t.regex(text, /^Failed to parse body: field "ConfigEntry": /)
  }
})

test('intentions in a transaction are from namespaces that exist', async t => {
  const server = await serverInProcess(t)
  const from = (Namespace: string) => ({
    Kind: 'service-intentions',
    Name: 'web',
    Sources: [{ Name: 'api', Namespace, Action: 'allow' }]
  })
  const refused = await txn(server, [
    ['set', defaults('web', 'http')],
    ['set', from('team')]
  ])
  t.is(refused.status, 409)
  t.deepEqual(bodyOf(refused).Errors, [
    { OpIndex: 1, What: 'Sources: Namespace "team" of "api" does not exist', Code: 'invalid' }
  ])
  t.is((await server.send('GET', '/v1/config/service-defaults/web')).status, 404)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  t.is((await txn(server, [['set', from('team')]])).status, 200)
})
