import test from 'ava'
import { secretWith } from '../../support.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'

const put = (server: TestServer, body: object) => server.send('PUT', '/v1/config', { body })
const exact = '/v1/connect/intentions/exact'

const value = async (server: TestServer, path: string) => JSON.parse((await server.send('GET', path)).text)

const entries = [
  {
    Kind: 'service-intentions',
    Name: 'db',
    Sources: [
      { Name: '*', Action: 'deny' },
      { Name: 'web', Action: 'allow' }
    ]
  },
  { Kind: 'service-intentions', Name: '*', Sources: [{ Name: 'web', Action: 'deny' }] }
]

test('intentions are listed one by one, the one that decides first', async t => {
  const server = await serverInProcess(t)
  for (const entry of entries) t.is((await put(server, entry)).text, 'true')
  const list: { SourceName: string; DestinationName: string; Precedence: number }[] = await value(
    server,
    '/v1/connect/intentions'
  )
  t.deepEqual(
    list.map(({ SourceName, DestinationName, Precedence }) => [SourceName, DestinationName, Precedence]),
    [
      ['web', 'db', 9],
      ['*', 'db', 8],
      ['web', '*', 6]
    ]
  )
  const filtered = await value(server, '/v1/connect/intentions?filter=Precedence%20%3D%3D%208')
  t.deepEqual(
    filtered.map((one: { SourceName: string }) => one.SourceName),
    ['*']
  )
})

test('match gives what bears on a source or destination', async t => {
  const server = await serverInProcess(t)
  for (const entry of entries) await put(server, entry)
  const path = '/v1/connect/intentions/match'
  const precedences = (found: { Precedence: number }[]) => found.map(one => one.Precedence)
  const to = await value(server, `${path}?by=destination&name=db&name=api`)
  t.deepEqual([precedences(to.db), precedences(to.api)], [[9, 8, 6], [6]])
  const from = await value(server, `${path}?by=source&name=web`)
  t.deepEqual(precedences(from.web), [9, 8, 6])
  t.is((await server.send('GET', `${path}?by=both&name=db`)).status, 400)
  t.is((await server.send('GET', `${path}?by=source`)).status, 400)
})

test('a match of many sources keeps their order, and names are limited', async t => {
  const server = await serverInProcess(t)
  const names = Array.from({ length: 300 }, (_, n) => `source-${String(n).padStart(3, '0')}`)
  const Sources = names.toReversed().map(Name => ({ Name, Action: 'allow' }))
  await put(server, { Kind: 'service-intentions', Name: '*', Sources })
  const path = '/v1/connect/intentions/match?by=destination'
  const asked = Array.from({ length: 64 }, (_, n) => `name=${n}`).join('&')
  const found = await value(server, `${path}&${asked}`)
  t.is(Object.keys(found).length, 64)
  for (const list of Object.values<{ SourceName: string }[]>(found))
    t.deepEqual(
      list.map(one => one.SourceName),
      names
    )
  const { status, text } = await server.send('GET', `${path}&${asked}&name=web`)
  t.deepEqual([status, text.includes("'name'"), text.includes('64')], [400, true, true])
})

test('check tells whether a connection is allowed, by default as the default policy says', async t => {
  const server = await serverInProcess(t)
  for (const entry of entries) await put(server, entry)
  const check = (source: string, destination: string) =>
    value(server, `/v1/connect/intentions/check?source=${source}&destination=${destination}`)
  t.deepEqual(await check('web', 'db'), { Allowed: true })
  t.deepEqual(await check('api', 'db'), { Allowed: false })
  t.deepEqual(await check('web', 'api'), { Allowed: false })
  t.deepEqual(await check('api', 'cache'), { Allowed: false })
})

test('a single intention is written into the entry of its destination and deleted from it', async t => {
  const server = await serverInProcess(t)
  const one = `${exact}?source=web&destination=db`
  const other = `${exact}?source=api&destination=db`
  t.is((await server.send('GET', one)).status, 404)
  t.is((await server.send('PUT', one, { body: { Action: 'allow' } })).text, 'true')
  t.is((await server.send('PUT', other, { body: { action: 'deny', Description: 'no' } })).text, 'true')
  t.is((await server.send('PUT', other, { body: { Action: 'deny', Description: 'never' } })).text, 'true')
  const entry = await value(server, '/v1/config/service-intentions/db')
  t.deepEqual(entry.Sources, [
    { Name: 'web', Action: 'allow', Precedence: 9, Type: 'consul' },
    { Name: 'api', Action: 'deny', Precedence: 9, Type: 'consul', Description: 'never' }
  ])
  t.is((await value(server, one)).Action, 'allow')
  t.is((await server.send('DELETE', one)).text, 'true')
  t.is((await server.send('GET', one)).status, 404)
  await server.send('DELETE', other)
  t.is((await server.send('GET', '/v1/config/service-intentions/db')).status, 404)
  t.is((await server.send('DELETE', other)).text, 'true')
})

test('an intention is written with all that Go’s clients send, and what was read can be sent back', async t => {
  const server = await serverInProcess(t)
  const one = `${exact}?source=web&destination=db`
  const sent = {
    SourceNS: 'default',
    SourceName: 'web',
    SourcePartition: 'default',
    DestinationNS: '',
    DestinationName: 'db',
    DestinationPartition: '',
    SourceType: 'consul',
    Action: 'allow',
    Precedence: 0,
    CreatedAt: '0001-01-01T00:00:00Z',
    UpdatedAt: '0001-01-01T00:00:00Z',
    Hash: null,
    CreateIndex: 0,
    ModifyIndex: 0
  }
  const write = async (body: object) => (await server.send('PUT', one, { body })).text
  t.is(await write(sent), 'true')
  t.is(await write({ ...(await value(server, one)), Action: 'deny' }), 'true')
  t.is((await value(server, one)).Action, 'deny')
  await server.send('DELETE', one)
  const made = await server.send('POST', '/v1/connect/intentions', { body: sent })
  t.is(made.status, 200, made.text)
  const withId = await value(server, one)
  t.true('CreatedAt' in withId && 'ID' in withId)
  t.is(await write({ ...withId, Action: 'deny' }), 'true')
  t.regex(await write({ ...sent, SourcePartition: 'other' }), /SourcePartition differs/)
  t.regex(await write({ ...sent, SourcePeer: 'other' }), /unknown field "SourcePeer"/)
})

test('names of intentions may bear a namespace, and wildcards stand for whole names only', async t => {
  const server = await serverInProcess(t)
  for (const [source, destination] of [
    ['a/b/c/d', 'db'],
    ['*/web', 'db'],
    ['we*', 'db'],
    ['web', '']
  ]) {
    const answer = await server.send('PUT', `${exact}?source=${source}&destination=${destination}`, {
      body: { Action: 'deny' }
    })
    t.is(answer.status, 400, source)
  }
  const named = `${exact}?source=ixn-a/web&destination=default/db`
  const unknown = await server.send('PUT', named, { body: { Action: 'deny' } })
  t.is(unknown.status, 400)
  t.regex(unknown.text, /"ixn-a".*does not exist/)
  await server.send('PUT', '/v1/namespace', { body: { Name: 'ixn-a' } })
  t.is((await server.send('PUT', named, { body: { Action: 'deny' } })).text, 'true')
  const found = await value(server, named)
  t.is(found.SourceNS, 'ixn-a')
  t.is(found.DestinationNS, 'default')
  t.is(found.Precedence, 9)
})

test('intentions need their own permissions', async t => {
  const server = await serverInProcess(t)
  for (const entry of entries) await put(server, entry)
  const token = await secretWith(
    server,
    'web',
    'service "web" { policy = "write" } service "x" { policy = "read" }'
  )
  const get = (path: string) => server.send('GET', `/v1/connect/intentions${path}`, { token })
  const list: object[] = JSON.parse((await get('')).text)
  t.is(list.length, 3)
  t.is((await get('/exact?source=web&destination=db')).status, 200)
  t.is((await get('/exact?source=api&destination=db')).status, 403)
  t.is((await get('/match?by=destination&name=db')).status, 403)
  t.is((await get('/check?source=web&destination=db')).status, 403)
  t.is((await get('/check?source=db&destination=web')).status, 200)
  const write = await server.send('PUT', `${exact}?source=x&destination=web`, {
    token,
    body: { Action: 'allow' }
  })
  t.is(write.status, 403)
  t.regex(write.text, /intention:write/)
})
