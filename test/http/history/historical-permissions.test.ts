// Historical responses, filtered by the current and the historical permissions.
import test from 'ava'
import { createPolicy, createToken, indexOf } from '../support.js'
import { serverInProcess } from '../../support/server.js'

const BOTH = { config: { history: { rights: 'both' } } } as const
const RULES = 'key_prefix "app/" { policy = "read" }'

test('what a token had no right to then is not shown, though it has the right now', async t => {
  const server = await serverInProcess(t, BOTH)
  const old = indexOf(await server.send('PUT', '/v1/kv/app/a', { body: 'before' }))
  const ID = await createPolicy(server, 'reader', '')
  const { SecretID: token } = await createToken(server, { Policies: [{ ID }] })
  const made = server.app.views.index
  const body = { ID, Name: 'reader', Rules: RULES }
  const granted = indexOf(await server.send('PUT', `/v1/acl/policy/${ID}`, { body }))
  await server.send('PUT', '/v1/kv/app/a', { body: 'after' })
  const now = server.app.views.index
  const get = (path: string) => server.send('GET', path, { token })

  t.is((await get('/v1/kv/app/a?raw')).text, 'after')
  for (const index of [old, made]) {
    const denied = await get(`/v1/kv/app/a?at=${index}`)
    t.is(denied.status, 403)
    t.regex(denied.text, /key:read/)
  }
  t.is((await get(`/v1/kv/app/a?at=${granted}`)).status, 200)
  t.is((await get(`/v1/kv/app/a?at=${now}`)).status, 200)
  t.is((await get(`/v1/kv/app/a?diff=${made}..${now}`)).status, 403)
  t.is((await get(`/v1/kv/app/a?diff=${granted}..${now}`)).status, 200)
  t.is((await get(`/v1/kv/app/?recurse&at=${made}`)).status, 404)

  const { text } = await get('/v1/event/history?topic=KV&key=app/a&payload=true')
  const [newest, oldest]: Record<string, unknown>[] = JSON.parse(text)
  t.deepEqual(Object.keys(oldest ?? {}), ['Index', 'Time', 'Type', 'Withheld'])
  t.truthy(newest?.['Payload'])
  t.like(newest, { Patch: [{ op: 'add', path: '' }] })
  t.false(text.includes(Buffer.from('before').toString('base64')))
})

test('a historical permission through a role that was revoked since is not sufficient', async t => {
  const server = await serverInProcess(t, BOTH)
  const ID = await createPolicy(server, 'reader', RULES)
  const role = await server.send('PUT', '/v1/acl/role', { body: { Name: 'readers', Policies: [{ ID }] } })
  const { ID: roleId }: { readonly ID: string } = JSON.parse(role.text)
  const { SecretID: token } = await createToken(server, { Roles: [{ ID: roleId }] })
  const at = indexOf(await server.send('PUT', '/v1/kv/app/a', { body: 'x' }))
  await server.send('PUT', '/v1/kv/app/a', { body: 'y' })
  const read = () => server.send('GET', `/v1/kv/app/a?at=${at}`, { token })
  t.is((await read()).status, 200)
  await server.send('PUT', `/v1/acl/policy/${ID}`, { body: { ID, Name: 'reader', Rules: '' } })
  t.is((await read()).status, 403)
})

test('unless a setting says otherwise, the rights of now count alone', async t => {
  const server = await serverInProcess(t)
  const old = indexOf(await server.send('PUT', '/v1/kv/app/a', { body: 'before' }))
  const ID = await createPolicy(server, 'reader', RULES)
  const { SecretID: token } = await createToken(server, { Policies: [{ ID }] })
  t.is((await server.send('GET', `/v1/kv/app/a?at=${old}`, { token })).status, 200)
})

test('each version of a page is shown by the rights of its own time', async t => {
  const server = await serverInProcess(t, BOTH)
  const ID = await createPolicy(server, 'reader', RULES)
  const { SecretID: token } = await createToken(server, { Policies: [{ ID }] })
  const put = (value: string) => server.send('PUT', '/v1/kv/app/a', { body: value })
  const rule = (Rules: string) =>
    server.send('PUT', `/v1/acl/policy/${ID}`, { body: { ID, Name: 'reader', Rules } })
  await put('one')
  await put('two')
  await rule('')
  await put('hidden')
  await rule(RULES)
  await put('three')
  await put('four')
  const { text } = await server.send('GET', '/v1/event/history?topic=KV&key=app/a', { token })
  const versions: Record<string, unknown>[] = JSON.parse(text)
  t.deepEqual(
    versions.map(version => version['Withheld'] !== undefined),
    [false, false, true, false, false]
  )
})
