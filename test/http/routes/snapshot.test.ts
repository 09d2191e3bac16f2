import { gunzipSync, gzipSync } from 'node:zlib'
import test from 'ava'
import { until } from '../../support/wait.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { createPolicy, createToken, secretWith } from '../support.js'

const save = async (server: TestServer): Promise<Buffer> => {
  const answer = await fetch(`${server.base}/v1/snapshot`, { headers: { 'X-Service-Token': ROOT } })
  if (answer.status !== 200) throw new Error(await answer.text())
  return Buffer.from(await answer.arrayBuffer())
}

const restore = async (server: TestServer, bytes: Buffer, token = ROOT) => {
  const answer = await fetch(`${server.base}/v1/snapshot`, {
    method: 'PUT',
    headers: { 'X-Service-Token': token },
    body: new Uint8Array(bytes)
  })
  return { status: answer.status, text: await answer.text() }
}

const stateOf = ({ app }: TestServer): string =>
  JSON.stringify([...app.views.dump()].filter(row => typeof row !== 'number'))

test('a restore brings back what was deleted or changed and removes what was made since, in one commit', async t => {
  const server = await serverInProcess(t)
  const id = await createPolicy(server, 'kept', 'key "a" { policy = "read" }')
  const { AccessorID, SecretID } = await createToken(server, {
    Description: 'kept',
    Policies: [{ Name: 'kept' }]
  })
  const before = stateOf(server)
  const archive = await save(server)
  await server.send('DELETE', `/v1/acl/token/${AccessorID}`)
  await server.send('PUT', `/v1/acl/policy/${id}`, { body: { Name: 'renamed' } })
  const later = await createToken(server, { Description: 'made later' })
  const index = server.app.views.index
  t.deepEqual(await restore(server, archive), { status: 200, text: '' })
  t.is(server.app.views.index, index + 1)
  t.is(stateOf(server), before)
  t.is((await server.send('GET', '/v1/acl/token/self', { token: SecretID })).status, 200)
  t.is((await server.send('GET', '/v1/acl/token/self', { token: later.SecretID })).status, 403)
})

test('a snapshot of one server makes another the same', async t => {
  const [one, other] = await Promise.all([serverInProcess(t), serverInProcess(t)])
  await createPolicy(one, 'a', '')
  await createToken(one, { Description: 'b' })
  t.is((await restore(other, await save(one))).status, 200)
  t.is(stateOf(other), stateOf(one))
})

test('a restore ends blocking queries, and restoring the present changes nothing', async t => {
  const server = await serverInProcess(t)
  const archive = await save(server)
  const { index } = server.app.views
  const blocked = server.send('GET', `/v1/acl/tokens?index=${index + 100}&wait=60s`)
  await until('the query waits', 5000, () => server.app.views.watch.size > 0)
  t.is((await restore(server, archive)).status, 200)
  t.is((await blocked).status, 200)
  t.is(server.app.views.index, index)
})

test('only management may save and restore', async t => {
  const server = await serverInProcess(t)
  const secret = await secretWith(server, 'reader', 'acl = "read"')
  t.is((await server.send('GET', '/v1/snapshot', { token: secret })).status, 403)
  t.is((await restore(server, Buffer.from('x'), secret)).status, 403)
})

test('what is no archive, cut short or changed is refused and changes nothing', async t => {
  const server = await serverInProcess(t)
  await createToken(server, { Description: 'something' })
  const archive = await save(server)
  const { index } = server.app.views
  const tar = gunzipSync(archive)
  const changed = Buffer.from(tar)
  changed.write('anything!', changed.indexOf('something'))
  const broken = [
    Buffer.alloc(0),
    Buffer.from('nonsense'),
    archive.subarray(0, 200),
    gzipSync(changed),
    gzipSync(tar.subarray(0, 1024))
  ]
  for (const bytes of broken) {
    const { status, text } = await restore(server, bytes)
    t.is(status, 400)
    t.regex(text, /snapshot/)
  }
  t.is(server.app.views.index, index)
})
