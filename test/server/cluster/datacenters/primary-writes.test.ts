// Writes of what all datacenters have from the primary one, asked of another one.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { shutOff, startDatacenters } from '../../../support/datacenters.js'
import { temporaryFolder } from '../../../support/process.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

const two = async (t: ExecutionContext, remote: object = { token: 'unknown' }) => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'], remote: () => ({ ...remote }) })
  return { primary: all.at('dc1'), secondary: all.at('dc2') }
}

const read = (text: string): Record<string, unknown> => JSON.parse(text)

test('policies and roles are written in the primary, whichever datacenter dc names, and answered with its index', async t => {
  const { primary, secondary } = await two(t)
  for (const [kind, dc] of [
    ['policy', ''],
    ['role', '?dc=dc2']
  ] as const) {
    const made = await secondary.send('PUT', `/v1/acl/${kind}${dc}`, { body: { Name: 'made' } })
    t.is(made.status, 200, made.text)
    const { ID } = read(made.text)
    const stored = await primary.send('GET', `/v1/acl/${kind}/${String(ID)}`)
    t.like(read(stored.text), { Name: 'made', ModifyIndex: Number(made.headers['x-service-index']) })
    const body = { Name: 'renamed' }
    t.is((await secondary.send('PUT', `/v1/acl/${kind}/${String(ID)}`, { body })).status, 200)
    t.like(read((await primary.send('GET', `/v1/acl/${kind}/${String(ID)}`)).text), body)
    t.is((await secondary.send('DELETE', `/v1/acl/${kind}/${String(ID)}?dc=dc2`)).text, 'true')
    t.not((await primary.send('GET', `/v1/acl/${kind}/${String(ID)}`)).status, 200)
  }
})

test('a write to the primary that names an unknown datacenter is rejected and changes nothing', async t => {
  const { primary, secondary } = await two(t)
  const alone = await serverInProcess(t)
  const Entry = { Kind: 'service-defaults', Name: 'web', Protocol: 'http' }
  const writes = [
    ['PUT', '/v1/config', Entry],
    ['DELETE', '/v1/config/service-defaults/db', undefined],
    ['PUT', '/v1/acl/policy', { Name: 'made' }],
    ['PUT', '/v1/acl/token', { Local: true }],
    ['DELETE', `/v1/acl/policy/${randomUUID()}`, undefined]
  ] as const
  for (const server of [primary, secondary, alone]) {
    const stored = { ...Entry, Name: 'db' }
    t.is((await server.send('PUT', '/v1/config', { body: stored })).status, 200)
    const before = server.app.views.index
    for (const [method, path, body] of writes)
      for (const parameter of ['dc=nope', 'datacenter=DC1']) {
        const { status, text } = await server.send(method, `${path}?${parameter}`, { body })
        t.is(status, 400, text)
        t.regex(text, /^No path to datacenter: "(nope|DC1)" is not known$/)
      }
    t.is(server.app.views.index, before)
    t.is(
      (await server.send('GET', '/v1/config/service-defaults/db')).status,
      server === secondary ? 404 : 200
    )
    t.is((await server.send('PUT', '/v1/config?dc=dc1', { body: { ...Entry, Name: 'known' } })).status, 200)
  }
})

test('a token is written where it counts: a local one here, every other one in the primary', async t => {
  const { primary, secondary } = await two(t)
  const make = async (body: object) => read((await secondary.send('PUT', '/v1/acl/token', { body })).text)
  const local = await make({ Local: true, Description: 'local' })
  const global = await make({ Description: 'global' })
  const path = ({ AccessorID }: Record<string, unknown>): string => `/v1/acl/token/${String(AccessorID)}`
  t.is((await secondary.send('GET', path(local))).status, 200)
  t.is((await primary.send('GET', path(local))).status, 403)
  t.is((await primary.send('GET', path(global))).status, 200)
  for (const [token, home, other] of [
    [local, secondary, primary],
    [global, primary, secondary]
  ] as const) {
    const { Local, AccessorID } = token
    const body = { AccessorID, Local, Description: 'changed' }
    t.is((await secondary.send('PUT', `${path(token)}?dc=dc1`, { body })).status, 200)
    t.like(read((await home.send('GET', path(token))).text), { Description: 'changed' })
    const cloned = read((await secondary.send('PUT', `${path(token)}/clone`, { body: {} })).text)
    t.is((await home.send('GET', path(cloned))).status, 200)
    t.is((await other.send('GET', path(cloned))).status, 403)
    t.is((await secondary.send('DELETE', path(token))).text, 'true')
    t.is((await home.send('GET', path(token))).status, 403)
  }
  t.is(
    (await secondary.send('DELETE', path(global))).status,
    (await primary.send('DELETE', path(global))).status
  )
})

test('where tokens are not replicated they are read in the primary', async t => {
  const { primary, secondary } = await two(t, {})
  const made = read((await primary.send('PUT', '/v1/acl/token', { body: { Description: 'there' } })).text)
  for (const [server, query] of [
    [secondary, ''],
    [secondary, '?dc=dc2'],
    [primary, '?dc=dc2']
  ] as const)
    t.is((await server.send('GET', `/v1/acl/token/${String(made['AccessorID'])}${query}`)).status, 200, query)
  t.true((await secondary.send('GET', '/v1/acl/tokens')).text.includes(String(made['AccessorID'])))
  const token = String(made['SecretID'])
  t.like(read((await secondary.send('GET', '/v1/acl/token/self', { token })).text), { Description: 'there' })
})

test('configuration entries and intentions are written in the primary', async t => {
  const { primary, secondary } = await two(t)
  const entry = { Kind: 'service-defaults', Name: 'web', Protocol: 'http' }
  t.is((await secondary.send('PUT', '/v1/config?dc=dc2', { body: entry })).text, 'true')
  t.is((await primary.send('GET', '/v1/config/service-defaults/web')).status, 200)
  t.is((await secondary.send('DELETE', '/v1/config/service-defaults/web')).status, 200)
  t.is((await primary.send('GET', '/v1/config/service-defaults/web')).status, 404)
  const exact = '/v1/connect/intentions/exact?source=a&destination=b'
  t.is((await secondary.send('PUT', exact, { body: { Action: 'allow' } })).status, 200)
  t.is((await primary.send('GET', exact)).status, 200)
  const legacy = { SourceName: 'c', DestinationName: 'd', Action: 'deny' }
  const made = await secondary.send('POST', '/v1/connect/intentions', { body: legacy })
  const byId = `/v1/connect/intentions/${String(read(made.text)['ID'])}`
  t.is((await primary.send('GET', byId)).status, 200)
  t.is((await secondary.send('PUT', byId, { body: { ...legacy, Action: 'allow' } })).status, 200)
  t.is((await secondary.send('DELETE', byId)).text, 'true')
  t.is((await primary.send('GET', byId)).status, 404)
})

test('a transaction writes nothing that belongs to the primary', async t => {
  const { primary, secondary } = await two(t)
  const Entry = { Kind: 'service-defaults', Name: 'web', Protocol: 'http' }
  const kv = { KV: { Verb: 'set', Key: 'a', Value: '' } }
  const body = [kv, { ConfigEntry: { Verb: 'set', ConfigEntry: Entry } }]
  const refused = await secondary.send('PUT', '/v1/txn', { body })
  t.is(refused.status, 400, refused.text)
  t.regex(refused.text, /^Operation 1 writes a configuration entry.*\(dc=dc1\)$/)
  t.is((await secondary.send('GET', '/v1/kv/a')).status, 404)
  t.is((await secondary.send('PUT', '/v1/txn', { body: [kv] })).status, 200)
  t.is((await secondary.send('PUT', '/v1/txn?dc=dc1', { body })).status, 200)
  t.is((await primary.send('GET', '/v1/config/service-defaults/web')).status, 200)
})

test('a revert makes nothing what it was that belongs to the primary', async t => {
  const dataDir = join(temporaryFolder(t), 'data')
  const alone = { datacenter: 'dc2', primary_datacenter: 'dc1' }
  const before = await serverInProcess(t, { dataDir, config: alone })
  const made = await before.send('PUT', '/v1/acl/policy', { body: { Name: 'a' } })
  const id = String(read(made.text)['ID'])
  await before.send('PUT', `/v1/acl/policy/${id}`, { body: { Name: 'b' } })
  await before.close()
  const datacenters = { dc1: { url: 'http://127.0.0.1:1' } }
  const server = await serverInProcess(t, { dataDir, config: { ...alone, datacenters } })
  const to = String(made.headers['x-service-index'])
  const { status, text } = await server.send('PUT', `/v1/event/revert?topic=ACLPolicy&key=${id}&to=${to}`)
  t.is(status, 400)
  t.regex(text, /^ACLPolicy ".*" is written in the primary datacenter: revert it there \(dc=dc1\)$/)
})

test('what cannot reach the primary is not written', async t => {
  const { primary, secondary } = await two(t)
  await shutOff(primary, secondary)
  const refused = await secondary.send('PUT', '/v1/acl/policy', { body: { Name: 'a' } })
  t.is(refused.status, 500)
  t.regex(refused.text, /^No path to datacenter: no server of "dc1" can be reached/)
  t.is((await secondary.send('PUT', '/v1/acl/token', { body: { Local: true } })).status, 200)
  t.is((await secondary.send('PUT', '/v1/acl/token', { body: { Local: 'yes' } })).status, 400)
})

test('a caller without the permissions is denied although the primary cannot be reached', async t => {
  const { primary, secondary } = await two(t, { token: ROOT })
  const tokenWith = async (rules: string, Datacenters: readonly string[] = []): Promise<string> => {
    const Name = `p-${randomUUID()}`
    await primary.send('PUT', '/v1/acl/policy', { body: { Name, Rules: rules, Datacenters } })
    const made = await primary.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name }] } })
    return String(read(made.text)['SecretID'])
  }
  const none = await tokenWith('')
  const web = await tokenWith('service "web" { policy = "write" intentions = "read" }')
  const there = await tokenWith('acl = "write"', ['dc1'])
  const here = await tokenWith('acl = "write"', ['dc2'])
  await until('the tokens are copied', async () => {
    const { status } = await secondary.send('GET', '/v1/acl/token/self', { token: here })
    return status === 200
  })
  await shutOff(primary, secondary)
  const write = async (token: string | undefined, path: string, body: object, method = 'PUT') => {
    const { status, text } = await secondary.send(method, path, { token, body })
    t.regex(text, status === 403 ? /^Permission denied: .* lacks permission '/ : /^No path to datacenter/)
    return status
  }
  const entry = (Name: string) => ({ Kind: 'service-defaults', Name })
  for (const token of [none, here, undefined]) t.is(await write(token, '/v1/acl/policy', { Name: 'a' }), 403)
  for (const token of [there, ROOT, 'unknown']) t.is(await write(token, '/v1/acl/policy', { Name: 'a' }), 500)
  t.is(await write(none, '/v1/acl/role', { Name: 'a' }), 403)
  t.is(await write(none, `/v1/acl/policy/${randomUUID()}`, {}, 'DELETE'), 403)
  t.is(await write(none, '/v1/acl/token', {}), 403)
  t.is(await write(there, '/v1/acl/token', {}), 500)
  t.is(await write(web, '/v1/config', entry('web')), 500)
  t.is(await write(web, '/v1/config', entry('db')), 403)
  t.is(await write(web, '/v1/config/service-defaults/db', {}, 'DELETE'), 403)
  const parties = 'source=api&destination=web'
  t.is(await write(web, `/v1/connect/intentions/exact?${parties}`, { Action: 'allow' }), 403)
  t.is(await write(ROOT, `/v1/connect/intentions/exact?${parties}`, { Action: 'allow' }), 500)
  t.not((await secondary.send('GET', '/v1/acl/policy/name/a')).status, 200)
  t.is((await secondary.send('GET', '/v1/config/service-defaults/web')).status, 404)
  t.is((await secondary.send('GET', `/v1/connect/intentions/exact?${parties}`)).status, 404)
})

test('a token that only the primary knows may write there', async t => {
  const { primary, secondary } = await two(t)
  const Policies = [{ Name: 'global-management' }]
  const made = read((await primary.send('PUT', '/v1/acl/token', { body: { Local: true, Policies } })).text)
  const token = String(made['SecretID'])
  t.is((await secondary.send('PUT', '/v1/acl/policy', { token, body: { Name: 'a' } })).status, 200)
  const denied = await secondary.send('PUT', '/v1/acl/policy', { token: 'unknown', body: { Name: 'b' } })
  t.deepEqual([denied.status, denied.text], [403, 'ACL not found'])
})

test('what is refused of every request is refused before its home is looked for', async t => {
  const acl = { enabled: false }
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'], of: () => ({ config: { acl } }) })
  const { status, text } = await all.at('dc2').send('PUT', '/v1/acl/token')
  t.deepEqual([status, text], [401, 'ACL support disabled'])
})

test('a partition is created in the primary datacenter only', async t => {
  const { primary, secondary } = await two(t)
  for (const path of ['/v1/partition', '/v1/partition/east']) {
    const { status, text } = await secondary.send('PUT', path, { body: { Name: 'east' } })
    t.deepEqual([status, /only in the primary datacenter "dc1"/.test(text)], [400, true], text)
    t.is((await secondary.send('PUT', `${path}?dc=dc1`, { body: { Name: 'east' } })).status, 200)
  }
  t.is((await primary.send('GET', '/v1/partition/east')).status, 200)
  t.is((await secondary.send('GET', '/v1/partition/east')).status, 404)
  t.is((await secondary.send('PUT', '/v1/partition/default', { body: { Description: 'here' } })).status, 200)
})
