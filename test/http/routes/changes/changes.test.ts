// A change set changes resources of any kinds in one commit, or none of them.
import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { createPolicy, secretWith } from '../../support.js'
import { done, newest, read } from '../events/reverts.js'
import { actionsOf, apply, send } from './change-sets.js'

test('creates, updates and deletes are one commit, which names its change set, owner and reason', async t => {
  const server = await serverInProcess(t)
  await done(t, server, 'PUT', '/v1/kv/old', '1')
  await createPolicy(server, 'reader', 'key "a" { policy = "read" }')
  const before = server.app.views.index
  const body = {
    ID: 'deploy-7',
    Owner: 'platform',
    Changes: [
      { Kind: 'role', Name: 'readers', Body: { Policies: [{ Name: 'reader' }, { Name: 'writer' }] } },
      { Kind: 'policy', Name: 'writer', Body: { Rules: 'key "a" { policy = "write" }' } },
      { Kind: 'policy', Name: 'reader', Body: { Rules: 'key "b" { policy = "read" }' } },
      { Kind: 'key', Name: 'old', Delete: true }
    ]
  }
  const headers = { 'X-Service-Reason': 'OPS-7' }
  const { status, text } = await server.send('POST', '/v1/changes', { body, headers })
  t.is(status, 200, text)
  t.deepEqual(actionsOf(JSON.parse(text)), [
    'create policy writer',
    'update policy reader',
    'create role readers',
    'delete key old'
  ])
  t.is(server.app.views.index, before + 1)
  const commit = await newest(server)
  t.like(commit.By, { Command: 'ApplyChangeSet', ChangeSet: 'deploy-7', Owner: 'platform', Reason: 'OPS-7' })
  t.is(commit.Events.length, 4)
  t.is(await read(server, '/v1/kv/old'), 404)
  const { text: history } = await server.send('GET', '/v1/event/history?topic=KV&key=old')
  t.regex(history, /"Reason":"OPS-7","ChangeSet":"deploy-7","Owner":"platform"/)
})

test('one refused change undoes all others, and is named', async t => {
  const server = await serverInProcess(t)
  const before = server.app.views.index
  const { status, text } = await send(server, {
    Changes: [
      { Kind: 'key', Name: 'a', Body: { Value: 'MQ==' } },
      { Kind: 'role', Name: 'r', Body: { Policies: [{ Name: 'missing' }] } }
    ]
  })
  t.is(status, 400)
  t.regex(text, /^role "r": .*missing/)
  t.is(server.app.views.index, before)
  t.is(await read(server, '/v1/kv/a'), 404)
})

test('a resource with another index stops the change set', async t => {
  const server = await serverInProcess(t)
  const index = await done(t, server, 'PUT', '/v1/kv/a', '1')
  const before = server.app.views.index
  const stale = { Kind: 'key', Name: 'a', Index: index - 1, Body: { Value: 'Mg==' } }
  const { status, text, headers } = await send(server, {
    Changes: [{ Kind: 'key', Name: 'b', Index: 0, Body: { Value: 'Mg==' } }, stale]
  })
  t.is(status, 409)
  t.is(headers['x-service-error-code'], 'changes.stale')
  t.is(text, `key "a" changed since: its ModifyIndex is ${index}, not ${index - 1}`)
  t.is(server.app.views.index, before)
  await apply(t, server, { Changes: [{ ...stale, Index: index }] })
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, '2')
})

test('a missing permission is refused before anything is revealed', async t => {
  const server = await serverInProcess(t)
  const index = await done(t, server, 'PUT', '/v1/kv/secret', '1')
  await done(t, server, 'PUT', '/v1/query', { Name: 'hidden', Service: { Service: 'web' } })
  const token = await secretWith(server, 'own', 'key_prefix "own/" { policy = "write" }')
  const own = { Kind: 'key', Name: 'own/a', Body: { Value: 'MQ==' } }
  const others = [
    { Kind: 'key', Name: 'secret', Index: index, Body: { Value: 'MQ==' } },
    { Kind: 'key', Name: 'secret', Index: 0, Delete: true },
    { Kind: 'key', Name: 'absent', Index: 9, Delete: true },
    { Kind: 'policy', Name: 'global-management', Delete: true },
    { Kind: 'policy', Name: 'absent', Delete: true },
    { Kind: 'token', Name: 'aaaaaaaa-6b4e-4d7a-9c51-0d2ff1b0e0a4', Delete: true },
    { Kind: 'namespace', Name: 'absent', Delete: true },
    { Kind: 'query', Name: 'hidden', Delete: true },
    { Kind: 'query', Name: 'absent', Delete: true },
    { Kind: 'query', Name: 'hidden', Index: 1, Body: { Service: { Service: 'x' } } },
    { Kind: 'config-entry', Name: 'service-defaults/web', Delete: true },
    { Kind: 'binding-rule', Name: 'r', Body: { AuthMethod: 'x', BindType: 'role', BindName: 'y' } }
  ]
  for (const other of others)
    for (const query of ['', '?dry-run']) {
      const { status, text } = await send(server, { Changes: [own, other] }, query, token)
      t.is(status, 403, `${JSON.stringify(other)} ${text}`)
      t.regex(text, /lacks permission/, JSON.stringify(other))
    }
  t.is(await read(server, '/v1/kv/own/a'), 404)
  t.is((await send(server, { Changes: [own] }, '', token)).status, 200)
  t.is((await send(server, { Changes: [] }, '', 'aaaaaaaa-6b4e-4d7a-9c51-0d2ff1b0e0a4')).status, 403)
})

test('a dry run returns the outcome of each change and commits nothing', async t => {
  const server = await serverInProcess(t)
  await done(t, server, 'PUT', '/v1/kv/a', '1')
  const index = server.app.views.index
  const plan = await apply(
    t,
    server,
    {
      Changes: [
        { Kind: 'key', Name: 'a', Body: { Value: 'Mg==' } },
        { Kind: 'key', Name: 'b', Body: { Value: 'Mg==' } },
        { Kind: 'role', Name: 'r', Body: { Policies: [{ Name: 'missing' }] } },
        { Kind: 'key', Name: 'absent', Delete: true }
      ]
    },
    '?dry-run'
  )
  t.true(plan.DryRun)
  t.is(plan.Index, undefined)
  t.deepEqual(actionsOf(plan), ['update key a', 'create key b', 'none key absent', 'refused role r'])
  t.true(plan.Changes[0]?.Patch.some(({ path, value }) => path === '/KV/Value' && value === 'Mg=='))
  t.like(plan.Changes[3]?.Refusal, { Status: 400 })
  t.is(server.app.views.index, index)
})

test('what is stored already makes no commit', async t => {
  const server = await serverInProcess(t)
  const Changes = [
    { Kind: 'policy', Name: 'p', Body: { Rules: '' } },
    { Kind: 'key', Name: 'a', Body: { Value: 'MQ==', Flags: 3 } }
  ]
  await apply(t, server, { Changes })
  const index = server.app.views.index
  const again = await apply(t, server, { Changes })
  t.deepEqual(actionsOf(again), ['none policy p', 'none key a'])
  t.is(again.Index, undefined)
  t.is(server.app.views.index, index)
})

test('more changes than a commit may have are refused, and those that change nothing do not count', async t => {
  const server = await serverInProcess(t, { config: { limits: { txn_max_ops: 3 } } })
  const keys = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ Kind: 'key', Name: `k/${i}`, Body: { Value: 'MQ==' } }))
  const { status, text, headers } = await send(server, { Changes: keys(4) })
  t.is(status, 413, text)
  t.is(headers['x-service-error-code'], 'changes.too-large')
  t.regex(text, /4 changes, and a commit at most 3/)
  await apply(t, server, { Changes: keys(3) })
  t.is(
    (await apply(t, server, { Changes: keys(4) })).Changes.filter(({ Action }) => Action === 'create').length,
    1
  )
})

test('an idempotency key makes a repetition harmless', async t => {
  const server = await serverInProcess(t)
  const headers = { 'X-Service-Idempotency-Key': 'apply-1' }
  const body = { Changes: [{ Kind: 'key', Name: 'a', Index: 0, Body: { Value: 'MQ==' } }] }
  const first = await server.send('POST', '/v1/changes', { body, headers })
  t.is(first.status, 200, first.text)
  const again = await server.send('POST', '/v1/changes', { body, headers })
  t.is(again.text, first.text)
  t.is(again.headers['x-service-index'], first.headers['x-service-index'])
})

test('invalid change sets are refused, naming the field', async t => {
  const server = await serverInProcess(t)
  const key = { Kind: 'key', Name: 'a', Body: { Value: 'MQ==' } }
  const cases: readonly (readonly [object, RegExp])[] = [
    [{}, /Changes/],
    [{ Changes: [{ Kind: 'node', Name: 'a', Body: {} }] }, /Invalid Changes\[0\]: Kind "node" is not one of/],
    [{ Changes: [{ Kind: 'key', Name: 'a' }] }, /Changes\[0\]: it has either Body/],
    [{ Changes: [{ ...key, Delete: true }] }, /Changes\[0\]: it has either Body/],
    [{ Changes: [{ ...key, Name: '' }] }, /Invalid Name/],
    [{ Changes: [{ ...key, Index: -1 }] }, /Index/],
    [{ Changes: [key, key] }, /key "a" has two changes/],
    [{ Changes: [{ ...key, Namespace: 'A B' }] }, /Namespace "A B"/],
    [{ Changes: [{ Kind: 'policy', Name: 'p', Body: { namespace: 'x' } }] }, /Body cannot have namespace/],
    [{ Changes: [{ Kind: 'policy', Name: 'p', Body: { Rulez: '' } }] }, /Rulez/],
    [{ Changes: [{ Kind: 'key', Name: 'a', Body: { value: 'MQ==' } }] }, /Invalid value: a key has Value/],
    [
      { Changes: [{ Kind: 'key', Name: 'a', Body: { Value: '%%%' } }] },
      /Invalid Value: a key has Value, which is Base64/
    ],
    [{ Changes: [{ Kind: 'namespace', Name: 'default', Delete: true }] }, /^namespace "default": /],
    [{ Changes: [{ Kind: 'config-entry', Name: 'web', Body: {} }] }, /is not KIND\/NAME/],
    [{ Changes: [{ Kind: 'config-entry', Name: 'nonsense/web', Body: {} }] }, /nonsense/],
    [{ Changes: [{ Kind: 'token', Name: 'ci', Body: {} }] }, /Invalid Owner: token "ci"/],
    [{ Owner: 'a/b', Changes: [] }, /Invalid Owner/],
    [{ ID: 'a b', Changes: [] }, /Invalid ID/],
    [{ Owner: 'a', Prune: true, Changes: [] }, /Invalid Prune/],
    [{ Changes: [], More: 1 }, /More/]
  ]
  for (const [body, rule] of cases) {
    const { status, text } = await send(server, body)
    t.is(status, 400, `${JSON.stringify(body)} ${text}`)
    t.regex(text, rule)
  }
})

test('deleting an auth method tells that its rules and tokens follow', async t => {
  const server = await serverInProcess(t)
  const rule = { AuthMethod: 'k', BindType: 'role', BindName: 'x' }
  const jwt = { Type: 'jwt', Config: { JWTValidationPubKeys: [publicKey()], BoundIssuer: 'i' } }
  await apply(t, server, {
    Changes: [
      { Kind: 'binding-rule', Name: 'r', Body: rule },
      { Kind: 'auth-method', Name: 'k', Body: jwt }
    ]
  })
  const { Changes } = await apply(t, server, { Changes: [{ Kind: 'auth-method', Name: 'k', Delete: true }] })
  t.like(Changes[0], { Action: 'delete' })
  t.deepEqual(
    Changes[0]?.Others?.map(({ Topic }) => Topic),
    ['ACLBindingRule']
  )
})

const publicKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ type: 'spki', format: 'pem' })
    .toString()

const defaults = (service: string, Protocol: string) => ({
  Kind: 'config-entry',
  Name: `service-defaults/${service}`,
  Body: { Protocol }
})

const SPLITTER = {
  Kind: 'config-entry',
  Name: 'service-splitter/web',
  Body: {
    Splits: [
      { Weight: 50, Service: 'web' },
      { Weight: 50, Service: 'api' }
    ]
  }
}

test('configuration entries that are valid only together are one commit', async t => {
  const server = await serverInProcess(t)
  await apply(t, server, { Changes: [SPLITTER, defaults('web', 'http'), defaults('api', 'http')] })
  const alone = await server.send('PUT', '/v1/config', {
    body: { Kind: 'service-defaults', Name: 'web', Protocol: 'grpc' }
  })
  t.is(alone.status, 400, alone.text)
  const both = { Changes: [defaults('web', 'grpc'), defaults('api', 'grpc')] }
  const planned = await apply(t, server, both, '?dry-run')
  t.deepEqual(
    planned.Changes.map(({ Action }) => Action),
    ['update', 'update']
  )
  const before = server.app.views.index
  await apply(t, server, both)
  t.is(server.app.views.index, before + 1)
  t.like(JSON.parse((await server.send('GET', '/v1/discovery-chain/web')).text), {
    Chain: { Protocol: 'grpc' }
  })
})

test('configuration entries that conflict after all changes are refused, each with the conflict', async t => {
  const server = await serverInProcess(t)
  const body = { Changes: [SPLITTER, defaults('web', 'http'), defaults('api', 'grpc')] }
  const before = server.app.views.index
  const { status, text } = await send(server, body)
  t.is(status, 400, text)
  t.regex(text, /^config-entry "service-splitter\/web": .*protocol/)
  t.is(server.app.views.index, before)
  const { Changes } = await apply(t, server, body, '?dry-run')
  t.true(Changes.some(({ Name, Refusal }) => Name === 'service-splitter/web' && Refusal?.Status === 400))
  t.is(await read(server, '/v1/config/service-defaults/web'), 404)
})
