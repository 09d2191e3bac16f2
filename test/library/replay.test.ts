// The library over a log of a data folder and over a running server.
import test from 'ava'
import { openLog, ServerLog } from 'annals'
import { replay, serve } from 'annals/replay'
import { policies, changesSince } from '../../library/examples/changes.js'
import { whoMight } from '../../library/examples/rights.js'
import { createPolicy, createToken, indexOf } from '../http/support.js'
import { temporaryFolder } from '../support/process.js'
import { send } from '../support/client.js'
import { serverInProcess, ROOT, type TestServer } from '../support/server.js'
import { until } from '../support/wait.js'

/** Opens the log of a running server when its files show all commits, some time after their acknowledgement. */
const openedLog = (dataDir: string, server: TestServer) =>
  until('the files show all commits', async () => {
    const log = await openLog(dataDir, { withSecrets: true })
    if (log.lastIndex >= server.app.views.index) return log
    await log.close()
    return undefined
  })

test('a replay up to any commit is served as it was, from files and from a server', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  await server.send('PUT', '/v1/kv/a', { body: 'one' })
  const token = await createToken(server, { Description: 'reader' })
  const { headers, text } = await server.send('GET', '/v1/kv/a')
  const tokens = await server.send('GET', '/v1/acl/tokens')
  const then = server.app.views.index
  await server.send('PUT', '/v1/kv/a', { body: 'two' })
  await server.send('DELETE', `/v1/acl/token/${token.AccessorID}`)

  const files = await openedLog(dataDir, server)
  const over = await openLog(new URL(server.base), { token: ROOT })
  t.is(over.lastIndex, files.lastIndex)
  for (const log of [files, over]) {
    await using served = await serve(await replay(log, { until: then }))
    const past = await send(served.url, 'GET', '/v1/kv/a', { token: served.token })
    t.is(past.text, text)
    t.is(past.headers['x-service-index'], headers['x-service-index'])
    const written = await send(served.url, 'PUT', '/v1/kv/a', { token: served.token, body: 'three' })
    t.is(written.status, 503)
    t.regex(written.text, /takes no writes/)
    const list = await send(served.url, 'GET', '/v1/acl/tokens', { token: served.token })
    t.is(JSON.parse(list.text).length, JSON.parse(tokens.text).length)
  }
  await using served = await serve(await replay(files, { until: then }))
  t.is(
    (await send(served.url, 'GET', '/v1/acl/tokens', { token: ROOT })).text,
    tokens.text,
    'its own tokens too'
  )
  t.is((await send(served.url, 'GET', '/v1/kv/a', { token: token.SecretID })).status, 403)
  await files.close()
})

test('the models of a replay are those of the server', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  await createPolicy(server, 'p', 'key_prefix "" { policy = "read" }')
  await server.send('PUT', '/v1/kv/a', { body: 'one' })
  const log = await openedLog(dataDir, server)
  const { views, index } = await replay(log)
  t.is(index, server.app.views.index)
  t.deepEqual([...views.dump()], [...server.app.views.dump()])
  await t.throwsAsync(replay(log, { until: index + 1 }), { instanceOf: RangeError })
  await log.close()
})

test('commits without what a stream shows come empty, and the indexes run on', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/kv/a', { body: 'one' })
  const log = await ServerLog.open(server.base, { token: ROOT })
  const indexes: number[] = []
  for await (const { Index } of log.commits()) indexes.push(Index)
  t.deepEqual(
    indexes,
    Array.from({ length: log.lastIndex }, (_, i) => i + 1)
  )
  await t.throwsAsync(ServerLog.open(server.base, { token: 'none' }), { name: 'ServerRefused' })
})

test('commits of some topics have only their events, whose types follow from the topics', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  await createPolicy(server, 'p', 'key_prefix "" { policy = "read" }')
  for (const value of ['one', 'two']) await server.send('PUT', '/v1/kv/a', { body: value })
  const [files, remote] = [
    await openedLog(dataDir, server),
    await ServerLog.open(server.base, { token: ROOT })
  ]
  t.teardown(() => files.close())
  for (const log of [files, remote]) {
    const values: string[] = []
    const indexes: number[] = []
    for await (const { Index, Events } of log.commits({ from: 2, topics: ['KV'] })) {
      indexes.push(Index)
      for (const { Topic, Payload } of Events) values.push(`${Topic} ${Payload.KV.Key} ${Payload.KV.Value}`)
    }
    t.deepEqual(
      values,
      ['one', 'two'].map(value => `KV a ${Buffer.from(value).toString('base64')}`)
    )
    t.deepEqual(indexes, [server.app.views.index - 1, server.app.views.index])
    const names = new Set<string>()
    for await (const { Events } of log.commits({ until: indexes[0] ?? 0, topics: ['KV', 'ACLPolicy'] }))
      for (const event of Events)
        if (event.Topic !== 'ACLPolicy' && !event.Payload.KV) t.log(JSON.stringify(event))
        else names.add(event.Topic === 'ACLPolicy' ? event.Payload.ACLPolicy.Name : event.Payload.KV.Key)
    t.true(names.has('p') && names.has('a') && names.size === 3, [...names].join())
  }
})

test('the examples: who might what and when, what changed, and each state of the policies', async t => {
  const dataDir = temporaryFolder(t)
  const server = await serverInProcess(t, { dataDir })
  const ID = await createPolicy(server, 'writers', 'key_prefix "db/" { policy = "write" }')
  const { AccessorID } = await createToken(server, { Description: 'app', Policies: [{ ID }] })
  const before = server.app.views.index
  const body = { ID, Name: 'writers', Rules: 'key_prefix "db/" { policy = "read" }' }
  const after = indexOf(await server.send('PUT', `/v1/acl/policy/${ID}`, { body }))

  const log = await openedLog(dataDir, server)
  t.teardown(() => log.close())
  t.true((await whoMight(log, 'write', 'db/a', before)).some(({ accessor }) => accessor === AccessorID))
  t.false((await whoMight(log, 'write', 'db/a', after)).some(({ accessor }) => accessor === AccessorID))
  const changes = await changesSince(log, new Date(0))
  t.is(
    Object.values(changes['ACLPolicy'] ?? {}).reduce((a, b) => a + b),
    3
  )
  t.deepEqual(await changesSince(log, new Date('9999-01-01')), {})

  const timeline = await policies.timeline(log)
  t.is(timeline.at(before).rules['writers'], 'key_prefix "db/" { policy = "write" }')
  t.is(timeline.latest.rules['writers'], 'key_prefix "db/" { policy = "read" }')
  t.deepEqual(timeline.steps.at(-1)?.patches, [
    { op: 'replace', path: ['rules', 'writers'], value: 'key_prefix "db/" { policy = "read" }' }
  ])
  t.deepEqual(await policies.latest(log), timeline.latest)
})
