// Intentions by ID, over the entries that hold all intentions.
import test from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { indexOf, secretWith } from '../../support.js'

const PATH = '/v1/connect/intentions'
const UNKNOWN = '5ec51e41-9583-2bf5-eed4-3bfcbffede4f'
const WEB = { SourceName: 'web', DestinationName: 'db', SourceType: 'consul', Action: 'allow' }
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const value = async (server: TestServer, path: string) => JSON.parse((await server.send('GET', path)).text)

const create = async (server: TestServer, body: object): Promise<string> => {
  const { status, text } = await server.send('POST', PATH, { body })
  if (status !== 200) throw new Error(`${status} ${text}`)
  const { ID }: { readonly ID: string } = JSON.parse(text)
  return ID
}

test('an intention is made, read, listed, replaced and deleted by its ID, and stands in the entry of its destination', async t => {
  const server = await serverInProcess(t)
  // As a client sends it that knows no other form.
  const ID = await create(server, {
    ...WEB,
    ID: '',
    SourceNS: '',
    DestinationNS: '',
    Meta: { team: 'a' },
    Precedence: 0,
    CreatedAt: '0001-01-01T00:00:00Z',
    UpdatedAt: '0001-01-01T00:00:00Z',
    CreateIndex: 0,
    ModifyIndex: 0
  })
  t.regex(ID, UUID)
  const made = await value(server, `${PATH}/${ID}`)
  t.like(made, {
    ID,
    SourceNS: 'default',
    SourceName: 'web',
    DestinationNS: 'default',
    DestinationName: 'db',
    SourceType: 'consul',
    Action: 'allow',
    Meta: { team: 'a' },
    Precedence: 9
  })
  t.is(made.CreatedAt, made.UpdatedAt)
  t.deepEqual(await value(server, PATH), [made])
  const entry = await value(server, '/v1/config/service-intentions/db')
  t.like(entry.Sources[0], {
    Name: 'web',
    LegacyID: ID,
    LegacyMeta: { team: 'a' },
    LegacyCreateTime: made.CreatedAt
  })
  server.advance(1000)
  const changed = { ...made, Action: 'deny', Description: 'changed' }
  const answer = await server.send('PUT', `${PATH}/${ID}`, { body: changed })
  t.deepEqual([answer.status, JSON.parse(answer.text)], [200, { ID }])
  const after = await value(server, `${PATH}/${ID.toUpperCase()}`)
  t.like(after, {
    ID,
    Action: 'deny',
    Description: 'changed',
    CreatedAt: made.CreatedAt,
    Meta: { team: 'a' }
  })
  t.true(Date.parse(after.UpdatedAt) > Date.parse(made.UpdatedAt))
  t.true(after.ModifyIndex > made.ModifyIndex)
  t.false((await value(server, `${PATH}/check?source=web&destination=db`)).Allowed)
  const second = await create(server, { ...WEB, SourceName: '*' })
  t.is((await server.send('DELETE', `${PATH}/${ID}`)).text, 'true')
  t.is((await server.send('GET', `${PATH}/${ID}`)).status, 404)
  t.is((await server.send('DELETE', `${PATH}/${second}`)).text, 'true')
  t.is((await server.send('GET', '/v1/config/service-intentions/db')).status, 404)
})

test('intentions are shown with a hash of their content, and without empty Meta', async t => {
  const server = await serverInProcess(t)
  const [one, two] = [
    await create(server, WEB),
    await create(server, { ...WEB, SourceName: 'api', Meta: { a: 'b' } })
  ]
  const shown = await value(server, PATH)
  const byId = [await value(server, `${PATH}/${two}`), await value(server, `${PATH}/${one}`)]
  t.deepEqual(byId, shown)
  t.deepEqual(
    byId.map(intention => intention.Meta),
    [{ a: 'b' }, undefined]
  )
  t.false('Meta' in byId[1])
  for (const { Hash } of byId) t.is(Buffer.from(Hash, 'base64').length, 32)
  t.not(byId[0].Hash, byId[1].Hash)
  const exact = `${PATH}/exact?source=web&destination=db`
  t.is((await value(server, exact)).Hash, byId[1].Hash)
  server.advance(1000)
  await server.send('PUT', `${PATH}/${one}`, { body: { ...byId[1], Description: 'changed' } })
  const changed = await value(server, `${PATH}/${one}`)
  t.not(changed.Hash, byId[1].Hash)
  await server.send('PUT', `${PATH}/${one}`, { body: { ...changed, Description: '' } })
  t.is((await value(server, `${PATH}/${one}`)).Hash, byId[1].Hash)
  t.deepEqual(await value(server, `${PATH}?filter=${encodeURIComponent('Meta is empty')}`), [
    await value(server, `${PATH}/${one}`)
  ])
})

test('what cannot be an intention with an ID is refused, naming field and rule, and nothing is stored', async t => {
  const server = await serverInProcess(t)
  const ID = await create(server, WEB)
  const before = server.app.views.index
  const long = 'x'.repeat(513)
  for (const [body, fault] of [
    [{ ...WEB, ID }, /ID must be empty when creating/],
    [{ ...WEB, SourceName: '' }, /SourceName must be set/],
    [{ ...WEB, DestinationName: '' }, /DestinationName must be set/],
    [{ ...WEB, Action: '' }, /Action" must be "allow" or "deny"/],
    [{ ...WEB, Action: 'drop' }, /Action" must be "allow" or "deny"/],
    [{ ...WEB, SourceType: 'vm' }, /Type" must be "consul"/],
    [{ ...WEB, SourceName: 'we*' }, /"\*" stands for a whole name/],
    [{ ...WEB, SourceNS: '*' }, /a name in all namespaces must be "\*"/],
    [{ ...WEB, SourceNS: 'nowhere' }, /Namespace "nowhere" of "web" does not exist/],
    [{ ...WEB, Meta: { key: long } }, /field "Meta.key" is longer than 512 bytes/],
    [{ ...WEB, Description: long }, /Description" is longer than 512 bytes/],
    [{ ...WEB, Permissions: [{ Action: 'allow' }] }, /Permissions must not be set/],
    [{ ...WEB, Colour: 'red' }, /unknown field "Colour"/],
    [WEB, /defines "web" more than once/]
  ] as const) {
    const { status, text } = await server.send('POST', PATH, { body })
    t.is(status, 400, text)
    t.regex(text, fault)
  }
  for (const [id, body, status, fault] of [
    ['no-uuid', WEB, 400, /not a valid UUID/],
    [UNKNOWN, WEB, 404, /Cannot modify non-existent intention: '5ec51e41/],
    [ID, { ...WEB, ID: UNKNOWN }, 400, /do not match/],
    [ID, { ...WEB, DestinationName: 'other' }, 400, /Cannot modify Destination/]
  ] as const) {
    const answer = await server.send('PUT', `${PATH}/${id}`, { body })
    t.is(answer.status, status, answer.text)
    t.regex(answer.text, fault)
  }
  t.is((await server.send('DELETE', `${PATH}/no-uuid`)).status, 400)
  t.is((await server.send('DELETE', `${PATH}/${UNKNOWN}`)).status, 404)
  t.is((await server.send('GET', `${PATH}/${UNKNOWN}`)).text, 'Intention not found')
  t.is(server.app.views.index, before)
})

test('IDs end with the first write of the whole entry, and from then on the entry is what is edited', async t => {
  const server = await serverInProcess(t)
  const ID = await create(server, WEB)
  await create(server, { ...WEB, SourceName: 'api', Meta: { team: 'a' } })
  const exact = `${PATH}/exact?source=api&destination=db`
  const lossy = await server.send('PUT', `${PATH}/exact?source=web&destination=db`, {
    body: { Action: 'deny' }
  })
  t.is(lossy.status, 400)
  t.regex(lossy.text, /LegacyMeta must be omitted/)
  t.is((await server.send('DELETE', exact)).text, 'true')
  t.is((await value(server, `${PATH}/${ID}`)).ID, ID)
  const written = await server.send('PUT', exact, { body: { Action: 'deny' } })
  t.is(written.text, 'true')
  t.is((await server.send('GET', `${PATH}/${ID}`)).status, 404)
  const entry = await value(server, '/v1/config/service-intentions/db')
  for (const source of entry.Sources) t.false('LegacyID' in source)
  const late = await server.send('POST', PATH, { body: { ...WEB, SourceName: 'late' } })
  t.is(late.status, 400)
  t.regex(late.text, /cannot use legacy intention API to edit intentions with a destination of "db"/)
})

test('an intention by ID needs intention:write on its destination, and intention:read on one of its ends', async t => {
  const server = await serverInProcess(t)
  const ID = await create(server, WEB)
  const rules = (access: string) => `service "db" { policy = "read" intentions = "${access}" }`
  const reader = await secretWith(server, 'reader', rules('read'))
  const writer = await secretWith(server, 'writer', rules('write'))
  const stranger = await secretWith(server, 'stranger', 'service "other" { policy = "write" }')
  const statuses = async (token: string) => {
    const made = await server.send('POST', PATH, { token, body: { ...WEB, SourceName: 'api' } })
    const read = await server.send('GET', `${PATH}/${ID}`, { token })
    const changed = await server.send('PUT', `${PATH}/${ID}`, { token, body: { ...WEB, Action: 'deny' } })
    const deleted = await server.send('DELETE', `${PATH}/${ID}`, { token })
    return [made, read, changed, deleted].map(({ status }) => status)
  }
  t.deepEqual(await statuses(stranger), [403, 403, 403, 403])
  t.deepEqual(await statuses(reader), [403, 200, 403, 403])
  t.deepEqual(await statuses(writer), [200, 200, 200, 200])
})

test('who waits for an intention by its ID is woken when it changes, and by no other', async t => {
  const server = await serverInProcess(t)
  const ID = await create(server, WEB)
  const first = indexOf(await server.send('GET', `${PATH}/${ID}`))
  let isAnswered = false
  const waiting = server.send('GET', `${PATH}/${ID}?index=${first}&wait=60s`).then(answer => {
    isAnswered = true
    return answer
  })
  await create(server, { ...WEB, DestinationName: 'other' })
  t.false(isAnswered)
  await server.send('PUT', `${PATH}/${ID}`, { body: { ...WEB, Action: 'deny' } })
  t.is(JSON.parse((await waiting).text).Action, 'deny')
})

test('intentions by ID live on after a restart, and in namespaces', async t => {
  const first = await serverInProcess(t, { log: 'disk' })
  await first.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  const ID = await create(first, { ...WEB, DestinationNS: 'team', SourceNS: 'default' })
  const made = await value(first, `${PATH}/${ID}`)
  t.like(made, { SourceNS: 'default', DestinationNS: 'team', Precedence: 9 })
  await first.close()
  const second = await serverInProcess(t, { dataDir: first.settings.data_dir })
  t.deepEqual(await value(second, `${PATH}/${ID}`), made)
  t.is((await second.send('DELETE', `${PATH}/${ID}`)).text, 'true')
  t.is((await second.send('GET', '/v1/config/service-intentions/db?ns=team')).status, 404)
})
