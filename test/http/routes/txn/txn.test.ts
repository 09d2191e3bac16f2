import test from 'ava'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { secretWith } from '../../support.js'

const transact = async (server: TestServer, body: unknown, token?: string) => {
  const { status, text, headers } = await server.send('PUT', '/v1/txn', {
    body,
    ...(token === undefined ? {} : { token })
  })
  return { status, headers, ...(status === 200 || status === 409 ? JSON.parse(text) : { text }) }
}

const set = (Key: string) => ({ KV: { Verb: 'set', Key, Value: 'YQ==' } })

test('every failure bears a word for programs', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  await transact(server, [set('k')])
  const { Errors } = await transact(server, [
    { KV: { Verb: 'cas', Key: 'k', Index: 1 } },
    { KV: { Verb: 'check-not-exists', Key: 'k' } },
    { KV: { Verb: 'get', Key: 'missing' } },
    { KV: { Verb: 'unlock', Key: 'k', Session: 'x' } },
    { KV: { Verb: 'bogus', Key: 'k' } },
    { Node: { Verb: 'get', Node: { Node: 'nowhere' } } },
    { Service: { Verb: 'set', Node: 'nowhere', Service: { Service: 'web' } } },
    { Check: { Verb: 'delete-cas', Check: { Node: 'nowhere', CheckID: 'c', ModifyIndex: 3 } } }
  ])
  t.deepEqual(
    Errors.map(({ Code }: { readonly Code: string }) => Code),
    ['stale', 'exists', 'missing', 'locked', 'invalid', 'missing', 'missing', 'stale']
  )
})

test('an element with two kinds of operation is refused, naming both, and nothing is applied', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const { status, text } = await transact(server, [
    set('a'),
    { ...set('b'), Node: { Verb: 'get', Node: { Node: 'server-1' } } }
  ])
  t.is(status, 400)
  t.regex(text, /operation 1 has "KV" and "Node"/)
  t.is((await server.send('GET', '/v1/kv/a')).status, 404)
  const { Results } = await transact(server, [{ ...set('a'), Node: null }, {}])
  t.is(Results.length, 1, 'what is null is not there, and an element without any kind is dropped')
})

test('a number outside 64 bits is refused with its field and its range', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const range = 'must be an integer from 0 to 18446744073709551615'
  for (const number of ['18446744073709551616', '-1', '1.5', '1e3', '"7"']) {
    const body = `[{"KV":{"Verb":"set","Key":"a","Value":"YQ==","Flags":${number}}}]`
    const { status, text } = await server.send('PUT', '/v1/txn', { body })
    t.deepEqual([status, text], [400, `Failed to parse body: field "0.KV.Flags" ${range}`], number)
  }
  t.is((await server.send('GET', '/v1/kv/a')).status, 404)
})

test('a refusal names the permission that is missing', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const token = await secretWith(server, 'writer', 'key_prefix "a/" { policy = "write" }')
  const { status, Errors } = await transact(server, [set('a/1'), set('b/1')], token)
  t.is(status, 409)
  t.is(Errors.length, 1)
  t.is(Errors[0].OpIndex, 1)
  t.is(Errors[0].Code, 'denied')
  t.regex(Errors[0].What, /^Permission denied.*key:write.*b\/1/)
})

test('write on a name that is given is not enough to change what is stored under another', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const ID = '11111111-2222-3333-4444-555555555555'
  await transact(server, [
    { Node: { Verb: 'set', Node: { Node: 'theirs', Address: '10.0.0.1', ID } } },
    { Service: { Verb: 'set', Node: 'theirs', Service: { ID: 's', Service: 'theirs' } } },
    { Check: { Verb: 'set', Check: { Node: 'theirs', CheckID: 'c', ServiceID: 's', Status: 'passing' } } }
  ])
  const token = await secretWith(
    server,
    'owner',
    'node "own" { policy = "write" } service "own" { policy = "write" }'
  )
  const check = { Node: 'theirs', CheckID: 'c', ServiceID: 's', ServiceName: 'own', Status: 'critical' }
  for (const operation of [
    { Node: { Verb: 'set', Node: { Node: 'own', Address: '10.0.0.2', ID } } },
    { Service: { Verb: 'set', Node: 'theirs', Service: { ID: 's', Service: 'own' } } },
    { Service: { Verb: 'delete', Node: 'theirs', Service: { ID: 's', Service: 'own' } } },
    { Check: { Verb: 'set', Check: check } },
    { Check: { Verb: 'delete', Check: check } }
  ]) {
    const { status, Errors } = await transact(server, [operation], token)
    t.is(status, 409, JSON.stringify(operation))
    t.is(Errors[0].Code, 'denied')
  }
})

test('operations of all kinds see each other, make one commit, and events in their order', async t => {
  const log = new MemoryEventLog()
  const server = await serverInProcess(t, { log })
  const { Results, headers } = await transact(server, [
    { Node: { Verb: 'set', Node: { Node: 'n', Address: '10.0.0.1' } } },
    set('k'),
    { Service: { Verb: 'set', Node: 'n', Service: { Service: 'web', Port: 80 } } },
    { Check: { Verb: 'set', Check: { Node: 'n', CheckID: 'c', ServiceID: 'web', Status: 'passing' } } },
    { KV: { Verb: 'get', Key: 'k' } },
    { Service: { Verb: 'get', Node: 'n', Service: { ID: 'web' } } },
    { KV: { Verb: 'delete', Key: 'k' } }
  ])
  t.is(Results.length, 6)
  t.is(Results[4].KV.Value, 'YQ==')
  t.is(Results[5].Service.Port, 80)
  const index = Number(headers['x-service-index'])
  t.is(server.app.views.index, index)
  for await (const { Events } of log.read(index))
    t.deepEqual(
      Events.map(({ Type }) => Type),
      ['NodeRegistration', 'KVSet', 'ServiceRegistration', 'CheckRegistration', 'KVDelete']
    )
})

test('a check that turns critical in a transaction ends its sessions with it', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  await transact(server, [
    { Node: { Verb: 'set', Node: { Node: 'n', Address: '10.0.0.1' } } },
    { Check: { Verb: 'set', Check: { Node: 'n', CheckID: 'c', Status: 'passing' } } }
  ])
  const { text } = await server.send('PUT', '/v1/session/create', { body: { Node: 'n', NodeChecks: ['c'] } })
  const Session: string = JSON.parse(text).ID
  await transact(server, [{ KV: { Verb: 'lock', Key: 'k', Session } }])
  const { Results } = await transact(server, [
    { Check: { Verb: 'set', Check: { Node: 'n', CheckID: 'c', Status: 'critical' } } },
    { KV: { Verb: 'check-session', Key: 'k' } }
  ])
  t.is(Results[1].KV.Session, undefined)
  t.is((await server.send('GET', `/v1/session/info/${Session}`)).text, '[]')
})

test('a transaction that only reads needs no log that can be written, and has the headers of a read', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const { status, headers, Index } = await transact(server, [{ KV: { Verb: 'get-tree', Key: 'k' } }])
  t.is(status, 200)
  t.is(Index, 1)
  t.is(headers['x-service-knownleader'], 'true')
  t.is(headers['x-service-index'], undefined)
  const both = await server.send('PUT', '/v1/txn?stale&consistent', { body: [] })
  t.is(both.status, 400)
})

test('few results and many have the same form, without unreadable ones', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const keys = Array.from(
    { length: 300 },
    (_, i) => `${i % 2 === 0 ? 'k/open' : 'k/shut'}/ä${String(i).padStart(3, '0')}`
  )
  for (let i = 0; i < keys.length; i += 60) await transact(server, keys.slice(i, i + 60).map(set))
  const token = await secretWith(server, 'open', 'key_prefix "k/open/" { policy = "read" }')
  const readers: readonly [string | undefined, (key: string) => boolean][] = [
    [undefined, () => true],
    [token, key => key.startsWith('k/open/')]
  ]
  for (const prefix of ['k/', 'k/open/', 'k/open/ä29', 'none'])
    for (const [reader, isReadable] of readers) {
      const found = await transact(server, [{ KV: { Verb: 'get-tree', Key: prefix } }], reader)
      const all = keys.filter(key => key.startsWith(prefix)).toSorted()
      const shown = all.filter(isReadable)
      t.is(found.Errors, null)
      t.deepEqual(
        (found.Results ?? []).map(({ KV }: { readonly KV: { readonly Key: string } }) => KV.Key),
        shown
      )
      t.is(found.ResultsFilteredByACLs, shown.length < all.length ? true : undefined)
    }
})

test('a read without a token does not show that results were left out', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  await transact(server, [set('hidden')])
  const read = [{ KV: { Verb: 'get', Key: 'hidden' } }]
  const other = await secretWith(server, 'other', 'key "other" { policy = "read" }')
  t.like(await transact(server, read, other), { Results: [], ResultsFilteredByACLs: true })
  const anonymous = await transact(server, read, '')
  t.deepEqual(anonymous.Results, [])
  t.is(anonymous.ResultsFilteredByACLs, undefined)
})

test('each operation may name a namespace of its own, which must be there', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  const inTeam = { KV: { ...set('k').KV, Namespace: 'team' } }
  const { Results } = await transact(server, [set('k'), inTeam])
  t.is(Results[0].KV.Namespace, undefined)
  t.is(Results[1].KV.Namespace, 'team')
  t.is((await server.send('GET', '/v1/kv/k?ns=team')).status, 200)
  const { status } = await transact(server, [{ KV: { ...set('k').KV, Namespace: 'nowhere' } }])
  t.is(status, 409)
})

test('a service is stored without what only gateways, proxies and Connect have, but that is checked', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const put = (Service: object) => ({ Service: { Verb: 'set', Node: 'n', Service } })
  const proxy = {
    Service: 'web-proxy',
    Kind: 'connect-proxy',
    Port: 21000,
    SocketPath: '/run/web',
    TaggedAddresses: { lan: { Address: '10.0.0.1', Port: 1 } },
    Proxy: { DestinationServiceName: 'web' }
  }
  const { status, Results } = await transact(server, [
    { Node: { Verb: 'set', Node: { Node: 'n', Address: '10.0.0.1' } } },
    put(proxy)
  ])
  t.is(status, 200)
  const { CreateIndex: _, ModifyIndex: __, ...stored } = Results[1].Service
  t.deepEqual(stored, {
    ID: 'web-proxy',
    Service: 'web-proxy',
    Tags: null,
    Address: '',
    Meta: null,
    Port: 21000,
    Weights: { Passing: 1, Warning: 1 },
    EnableTagOverride: false,
    Proxy: { Mode: '', MeshGateway: {}, Expose: {} },
    Connect: {}
  })
  t.is((await server.send('GET', '/v1/catalog/connect/web')).text, '[]')
  const broken = await transact(server, [put({ ...proxy, Proxy: {} })])
  t.is(broken.status, 409)
})

test('a cas of a check whose service is not there changes nothing, and answers with the check if there is one', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const made = await transact(server, [
    { Node: { Verb: 'set', Node: { Node: 'n', Address: '10.0.0.1' } } },
    { Check: { Verb: 'set', Check: { Node: 'n', CheckID: 'c', Status: 'passing' } } }
  ])
  const stored = made.Results[1]
  const cas = async (CheckID: string, ModifyIndex: number) => {
    const Check = { Node: 'n', CheckID, ServiceID: 'none', Status: 'critical', ModifyIndex }
    const { status, Results } = await transact(server, [{ Check: { Verb: 'cas', Check } }])
    return [status, Results]
  }
  const { index } = server.app.views
  t.deepEqual(await cas('c', stored.Check.ModifyIndex), [200, [stored]])
  t.deepEqual(await cas('new', 0), [200, []])
  t.is(server.app.views.index, index)
})

test('a value in any form of base64 is kept in the one that its bytes have, and what is none is refused', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  const kept = async (Value: string): Promise<string | null | undefined> => {
    const { Results } = await transact(server, [
      { KV: { Verb: 'set', Key: 'k', Value } },
      { KV: { Verb: 'get', Key: 'k' } }
    ])
    return Results?.[1].KV.Value
  }
  for (const size of [1, 2, 3, 191, 192, 193, 5000]) {
    const exact = Buffer.alloc(size, '\u00ff').toString('base64')
    t.is(await kept(exact), exact)
    t.is(await kept(`${exact.slice(0, 2)}\r\n${exact.slice(2)}`), exact)
  }
  t.is(await kept('YR=='), 'YQ==')
  t.is(await kept('YWJ='), 'YWI=')
  t.is(await kept(''), null)
  t.is(await kept('\n'), null)
  for (const none of ['YQ', 'Y===', 'YQ=', 'YQ-_', 'Y Q=', 'YQ==YQ=='])
    t.is(await kept(none), undefined, none)
})
