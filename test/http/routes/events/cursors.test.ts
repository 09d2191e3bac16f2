import test, { type ExecutionContext } from 'ava'
import { SetClock } from '../../../../library/testing/set-clock.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../../support/server.js'
import type { TestResponse } from '../../../support/client.js'
import { CursorPositions } from '../../../../actors/processes/cursor-positions.js'
import { temporaryFolder } from '../../../support/process.js'
import { until } from '../../../support/wait.js'
import { createToken, createPolicy, indexOf } from '../../support.js'

interface CursorAnswer {
  readonly Name: string
  readonly Index: number
  readonly Owner: string
  readonly [field: string]: unknown
}

const cursorOf = ({ text }: TestResponse): CursorAnswer => JSON.parse(text)
const cursorsOf = ({ text }: TestResponse): readonly CursorAnswer[] => JSON.parse(text)
const PATH = '/v1/event/cursor/loader'
const RULES = 'key_prefix "load/" { policy = "read" }'

const put = (server: TestServer, body: object, token?: string, path = PATH) =>
  server.send('PUT', path, { body, ...(token === undefined ? {} : { token }) })
const write = async (server: TestServer, key: string): Promise<number> =>
  indexOf(await server.send('PUT', `/v1/kv/${key}`, { body: 'value' }))

/** Moves a cursor, and lets the second pass for which moves wait. */
const move = async (
  server: TestServer,
  cas: number,
  Index: number,
  token?: string
): Promise<TestResponse> => {
  let answer: TestResponse | undefined
  const sent = put(server, { Index }, token, `${PATH}?cas=${cas}`).then(come => (answer = come))
  await until('the move is answered', () => {
    server.advance(1000)
    return answer !== undefined
  })
  return sent
}

/** A server with a reader, who may read what is under load/. */
const withReader = async (t: ExecutionContext, options: TestServerOptions = {}) => {
  const server = await serverInProcess(t, options)
  const ID = await createPolicy(server, 'load', RULES)
  const [reader, other] = [
    await createToken(server, { Policies: [{ ID }] }),
    await createToken(server, { Policies: [{ ID }] })
  ]
  return { server, reader, other }
}

test('a cursor is made, shown with its lag, moved, listed and deleted', async t => {
  const { server, reader } = await withReader(t, { clock: new SetClock({ runs: false }) })
  const token = reader.SecretID
  const made = await put(server, { Topics: ['KV:load/'], Lease: '1m' }, token)
  t.is(made.status, 200, made.text)
  const Index = indexOf(made)
  t.like(cursorOf(made), {
    Name: 'loader',
    Topics: ['KV:load/'],
    Namespace: 'default',
    Partition: 'default',
    Index,
    Owner: reader.AccessorID,
    Lease: '1m0s',
    CreateIndex: Index
  })
  t.like(cursorOf(await server.send('GET', PATH, { token })), { LagCommits: 0, LagSeconds: 0 })
  const first = await write(server, 'load/a')
  await write(server, 'load/b')
  server.advance(7000)
  t.like(cursorOf(await server.send('GET', PATH, { token })), { Index, LagCommits: 2, LagSeconds: 7 })
  t.is((await move(server, Index, first, token)).text, 'true')
  t.like(cursorOf(await server.send('GET', PATH, { token })), { Index: first, LagCommits: 1 })
  t.like(cursorsOf(await server.send('GET', '/v1/event/cursors', { token })), [
    { Name: 'loader', Index: first }
  ])
  t.is((await server.send('DELETE', PATH, { token })).text, 'true')
  t.is((await server.send('GET', PATH, { token })).status, 404)
  t.is((await server.send('DELETE', PATH, { token })).text, 'true')
})

test('a cursor is moved from where its reader believes it to be, with 200 true or false', async t => {
  const { server, reader } = await withReader(t)
  const token = reader.SecretID
  const Index = indexOf(await put(server, { Topics: ['KV:load/'] }, token))
  const last = await write(server, 'load/a')
  t.is((await move(server, Index - 1, last, token)).text, 'false')
  t.is((await move(server, Index, last, token)).text, 'true')
  t.is((await move(server, Index, last, token)).text, 'false')
  t.is(cursorOf(await server.send('GET', PATH, { token })).Index, last)
  const head = server.app.views.index
  t.is((await move(server, last, Index, token)).text, 'true')
  t.is(server.app.views.index, head + 1)
})

test('nothing is left to take when only moves of cursors have come since', async t => {
  const { server } = await withReader(t)
  const Index = indexOf(await put(server, { Topics: ['KV:load/'] }))
  const last = await write(server, 'load/a')
  await move(server, Index, last)
  t.true(server.app.views.index > last)
  t.like(cursorOf(await server.send('GET', PATH)), { Index: last, LagCommits: 0, LagSeconds: 0 })
})

test('faults in a request name the field and the rule', async t => {
  const { server } = await withReader(t)
  const refused = async (path: string, body: object, status: number, text: RegExp): Promise<void> => {
    const answer = await put(server, body, undefined, path)
    t.is(answer.status, status, answer.text)
    t.regex(answer.text, text)
  }
  const topics = { Topics: ['KV:load/'] }
  await refused('/v1/event/cursor/a%20b', topics, 400, /Name "a b" must be 1 to 128/)
  await refused(PATH, { ...topics, Topic: 'x' }, 400, /Topic/)
  await refused(PATH, {}, 400, /Topics must name/)
  await refused(PATH, { Topics: ['Nothing'] }, 400, /unknown topic "Nothing"/)
  await refused(PATH, { ...topics, Name: 'other' }, 400, /Name in URL and payload do not match/)
  await refused(PATH, { ...topics, Lease: 'long' }, 400, /Lease.*invalid duration "long"/)
  await refused(PATH, { ...topics, Index: 1e6 }, 400, /Index 1000000 is not there/)
  await refused(PATH, { ...topics, Index: -1 }, 400, /Index -1 must not be negative/)
  await refused(`${PATH}?cas=1`, { Index: 1 }, 404, /Cursor "loader" does not exist/)
  await put(server, topics)
  await refused(`${PATH}?cas=x`, { Index: 1 }, 400, /Invalid cas: "x"/)
  await refused(`${PATH}?cas=1`, {}, 400, /Index is missing/)
  await refused(
    `${PATH}?cas=1`,
    { ...topics, Index: 1 },
    400,
    /with cas a body says Index alone, and not Topics/
  )
  await refused(`${PATH}?cas=1`, { Index: 1e6 }, 400, /Index 1000000 is not there/)
  t.is((await server.send('GET', '/v1/event/cursor/a%20b')).status, 400)
  t.is((await server.send('DELETE', '/v1/event/cursor/a%20b')).status, 400)
})

test('a cursor needs the rights of its topics', async t => {
  const { server, reader } = await withReader(t)
  const token = reader.SecretID
  for (const [Topics, missing] of [
    [['KV:other/'], 'lacks permission \'key:read\' on "other/"'],
    [['KV:load/', 'Node'], "lacks permission 'node:read' on everything"],
    [['*'], "lacks permission 'acl:write'"],
    [['Cursor'], "lacks permission 'operator:read'"]
  ] as const) {
    const answer = await put(server, { Topics }, token)
    t.is(answer.status, 403)
    t.true(answer.text.includes(missing), answer.text)
  }
})

test('a cursor belongs to the token that made it, and to operators', async t => {
  const { server, reader, other } = await withReader(t)
  const Index = indexOf(await put(server, { Topics: ['KV:load/'] }, reader.SecretID))
  const token = other.SecretID
  for (const [method, path, permission, body] of [
    ['GET', PATH, 'operator:read', undefined],
    ['PUT', PATH, 'operator:write', { Topics: ['KV:load/'], Lease: '5s' }],
    ['PUT', `${PATH}?cas=${Index}`, 'operator:write', { Index }],
    ['DELETE', PATH, 'operator:write', undefined]
  ] as const) {
    const answer = await server.send(method, path, { token, body })
    t.is(answer.status, 403)
    t.true(answer.text.includes(`lacks permission '${permission}'`), answer.text)
  }
  const list = await server.send('GET', '/v1/event/cursors', { token })
  t.deepEqual([list.text, list.headers['x-service-results-filtered-by-acls']], ['[]', 'true'])
  const byOperator = await put(server, { Topics: ['KV:load/'], Lease: '5s' })
  t.like(cursorOf(byOperator), { Owner: reader.AccessorID, Lease: '5s', Index })
  t.is(cursorsOf(await server.send('GET', '/v1/event/cursors')).length, 1)
})

test('a token owns as many cursors as cursor.max_per_token says', async t => {
  const { server, reader } = await withReader(t, { config: { cursor: { max_per_token: 1 } } })
  await put(server, { Topics: ['KV:load/'] }, reader.SecretID)
  const second = await put(server, { Topics: ['KV:load/'] }, reader.SecretID, '/v1/event/cursor/second')
  t.is(second.status, 409)
  t.regex(second.text, /a token may own 1 of them \(cursor\.max_per_token\)/)
})

test('cursors and where they stand are there after a restart', async t => {
  const dataDir = temporaryFolder(t)
  const first = await serverInProcess(t, { dataDir })
  const Index = indexOf(await put(first, { Topics: ['KV:load/'] }))
  const last = await write(first, 'load/a')
  t.is((await move(first, Index, last)).text, 'true')
  await first.close()
  const second = await serverInProcess(t, { dataDir })
  t.like(cursorOf(await second.send('GET', PATH)), { Index: last, Topics: ['KV:load/'], LagCommits: 0 })
})

test('a move that waits for its second is on disk when the server ends', async t => {
  const dataDir = temporaryFolder(t)
  const first = await serverInProcess(t, { dataDir })
  const Index = indexOf(await put(first, { Topics: ['KV:load/'] }))
  const last = await write(first, 'load/a')
  const moved = put(first, { Index: last }, undefined, `${PATH}?cas=${Index}`)
  await until('the server has the move', () => first.scope.resolve(CursorPositions).of('loader') === last)
  await first.close()
  t.is((await moved).text, 'true')
})
