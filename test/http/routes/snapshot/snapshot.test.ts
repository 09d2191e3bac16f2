import { readdirSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import test from 'ava'
import { factsOf } from '../../../support/state-facts.js'
import { until } from '../../../support/wait.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { contentOf, restore, save } from './support.js'
import { createPolicy, createToken, secretWith } from '../../support.js'

const stateOf = ({ app }: TestServer): string => JSON.stringify(factsOf(app.views))

/** The keys as they are, indexes included: a lock that comes back was taken last, whatever came after. */
const keysOf = ({ app }: TestServer): string =>
  JSON.stringify([...app.views.kv.facts()].map(key => ({ ...key, Type: undefined })))

test('a restore brings back what was deleted or changed and removes what was made since', async t => {
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
  t.true(server.app.views.index > index)
  t.is(stateOf(server), before)
  t.is((await server.send('GET', '/v1/acl/token/self', { token: SecretID })).status, 200)
  t.is((await server.send('GET', '/v1/acl/token/self', { token: later.SecretID })).status, 403)
})

test('a snapshot of one server makes another the same', async t => {
  const [one, other] = await Promise.all([serverInProcess(t), serverInProcess(t)])
  await createPolicy(one, 'a', '')
  await createToken(one, { Description: 'b' })
  t.is((await restore(other, await save(one))).status, 200)
  t.is(contentOf(other), contentOf(one))
})

test('a restore ends blocking queries, and restoring the present changes nothing', async t => {
  const server = await serverInProcess(t)
  const archive = await save(server)
  const { index } = server.app.views
  const blocked = server.send('GET', `/v1/acl/tokens?index=${index + 100}&wait=60s`)
  await until('the query waits', () => server.app.views.watch.size > 0)
  t.is((await restore(server, archive)).status, 200)
  t.is((await blocked).status, 200)
  // That it began and that it ended.
  t.is(server.app.views.index, index + 2)
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
    gzipSync(tar.subarray(0, 1024)),
    archive.subarray(0, archive.length - 9)
  ]
  for (const bytes of broken) {
    const { status, text } = await restore(server, bytes)
    t.is(status, 400)
    t.regex(text, /snapshot/)
  }
  t.is(server.app.views.index, index)
  t.deepEqual(
    readdirSync(server.settings.data_dir).filter(name => name.startsWith('restore')),
    []
  )
})

test('keys come back whether they were written, locked or released, also to a server that never had them', async t => {
  const [one, other] = await Promise.all([serverInProcess(t), serverInProcess(t)])
  const put = async (path: string, value = 'v'): Promise<boolean> =>
    t.is((await one.send('PUT', `/v1/kv/${path}`, { body: value })).text, 'true', path)
  const { text } = await one.send('PUT', '/v1/session/create', { body: { LockDelay: 0 } })
  const { ID }: { readonly ID: string } = JSON.parse(text)
  const keys = ['set', 'held', 'rewritten', 'released', 'relocked']
  for (const key of keys) await put(key)
  for (const key of keys.slice(1)) await put(`${key}?acquire=${ID}`)
  await put('rewritten', 'w')
  for (const key of keys.slice(3)) await put(`${key}?release=${ID}`)
  await put(`relocked?acquire=${ID}`)
  const wanted = keysOf(one)
  const archive = await save(one)

  t.deepEqual(await restore(other, archive), { status: 200, text: '' })
  t.is(contentOf(other), contentOf(one))

  for (const key of ['held', 'relocked']) await put(`${key}?release=${ID}`)
  for (const key of ['set', 'released']) await put(`${key}?acquire=${ID}`)
  await one.send('DELETE', '/v1/kv/rewritten')
  t.is((await restore(one, archive)).status, 200)
  t.is(keysOf(one), wanted)

  await one.send('DELETE', '/v1/kv/?recurse')
  t.is((await restore(one, archive)).status, 200)
  t.is(keysOf(one), wanted)
  const { index } = one.app.views
  t.is((await restore(one, archive)).status, 200)
  t.is(one.app.views.index, index + 2)
})

test('a server with the snapshot of another one still has its own node', async t => {
  const [one, other] = await Promise.all([
    serverInProcess(t),
    serverInProcess(t, { config: { node_name: 'server-2' } })
  ])
  t.is((await restore(other, await save(one))).status, 200)
  const { catalog } = other.app.views
  await until('the own node is back', () => catalog.node('default', 'server-2') !== undefined)
  t.truthy(catalog.node('default', 'server-1'))
  t.is((await other.send('PUT', '/v1/session/create')).status, 200)
})

test('what comes from a longer log gets no index that is still to come, so that its changes are seen', async t => {
  const [one, other] = await Promise.all([serverInProcess(t), serverInProcess(t)])
  for (const value of '123456789012345') await one.send('PUT', '/v1/kv/a', { body: value })
  t.is((await restore(other, await save(one))).status, 200)
  const { views } = other.app
  const read = await other.send('GET', '/v1/kv/a')
  const index = Number(read.headers['x-service-index'])
  t.true(index <= views.index)
  t.regex(read.text, new RegExp(`"ModifyIndex":${index}\\b`))
  const blocked = other.send('GET', `/v1/kv/a?index=${index}&wait=60s`)
  await until('the query waits', () => views.watch.size > 0)
  await other.send('PUT', '/v1/kv/a', { body: '6' })
  t.regex((await blocked).text, /"Value":"Ng=="/)
})

test('sessions of the own node survive a restore to a server with another ID', async t => {
  const [one, other] = await Promise.all([serverInProcess(t), serverInProcess(t)])
  t.not(one.settings.node_id, other.settings.node_id)
  const made = await one.send('PUT', '/v1/session/create', { body: JSON.stringify({ Name: 'lock' }) })
  const { ID } = JSON.parse(made.text)
  t.is((await one.send('PUT', `/v1/kv/a?acquire=${ID}`, { body: 'x' })).text.trim(), 'true')
  t.is((await restore(other, await save(one))).status, 200)
  await until('the own node has the ID of the server', () => {
    const own = other.app.views.catalog.nodeById(other.settings.node_id)
    return own?.node.Node === 'server-1'
  })
  t.is(JSON.parse((await other.send('GET', '/v1/kv/a')).text)[0].Session, ID)
})
