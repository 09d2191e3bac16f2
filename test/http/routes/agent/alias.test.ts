// Sidecars and other checks that take over the health of something else.
import { createServer } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { secretWith } from '../../support.js'

interface Shown {
  readonly CheckID: string
  readonly Name: string
  readonly Status: string
  readonly Output: string
  readonly Type: string
  readonly ServiceID: string
}

const checksOf = async (server: TestServer): Promise<Readonly<Record<string, Shown>>> =>
  JSON.parse((await server.send('GET', '/v1/agent/checks')).text)

const becomes = (server: TestServer, id: string, status: string, output: RegExp): Promise<unknown> =>
  until(`${id} is ${status}`, async () => {
    const check = (await checksOf(server))[id]
    return check?.Status === status && output.test(check.Output)
  })

const put = async (t: ExecutionContext, server: TestServer, path: string, body?: object): Promise<void> => {
  const { status, text } = await server.send('PUT', path, body ? { body } : {})
  t.is(status, 200, `${path}: ${text}`)
}

test('a sidecar without checks gets two: that it listens, and that its service is well', async t => {
  const listener = createServer()
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  t.teardown(() => listener.close())
  const address = listener.address()
  const Port = typeof address === 'object' && address ? address.port : 0
  const server = await serverInProcess(t)
  await put(t, server, '/v1/agent/service/register', {
    Name: 'web',
    Port: 8000,
    Check: { TTL: '1h', Status: 'passing' },
    Connect: { SidecarService: { Port } }
  })
  const [listening, aliasing] = ['service:web-sidecar-proxy:1', 'service:web-sidecar-proxy:2']
  const checks = await checksOf(server)
  t.deepEqual(
    [checks[listening]?.Name, checks[listening]?.Type, checks[listening]?.ServiceID],
    ['Connect Sidecar Listening', 'tcp', 'web-sidecar-proxy']
  )
  t.deepEqual([checks[aliasing]?.Name, checks[aliasing]?.Type], ['Connect Sidecar Aliasing web', 'alias'])
  await becomes(server, listening, 'passing', /Success/)
  await becomes(server, aliasing, 'passing', /^All checks passing\.$/)

  await put(t, server, '/v1/agent/check/fail/service:web?note=broken')
  await becomes(server, aliasing, 'critical', /^Aliased check "Service 'web' check" failing: broken$/)
  await put(t, server, '/v1/agent/check/warn/service:web?note=slow')
  await becomes(server, aliasing, 'warning', /failing: slow$/)
  await put(t, server, '/v1/agent/check/pass/service:web')
  await becomes(server, aliasing, 'passing', /passing/)
  await put(t, server, '/v1/agent/maintenance?enable=true')
  await becomes(server, aliasing, 'critical', /Node Maintenance Mode/)
  await put(t, server, '/v1/agent/maintenance?enable=false')
  await becomes(server, aliasing, 'passing', /passing/)
})

test('a sidecar with checks of its own has only these', async t => {
  const server = await serverInProcess(t)
  await put(t, server, '/v1/agent/service/register', {
    Name: 'web',
    Connect: { SidecarService: { Check: { Name: 'mine', TTL: '1h' } } }
  })
  t.deepEqual(
    Object.values(await checksOf(server)).map(({ Name }) => Name),
    ['mine']
  )
})

test('an alias check tells of what is not there, of what comes to be, and of other nodes', async t => {
  const server = await serverInProcess(t)
  await put(t, server, '/v1/agent/check/register', { Name: 'later', AliasService: 'api' })
  await becomes(server, 'later', 'critical', /^Service api could not be found on node server-1$/)
  await put(t, server, '/v1/agent/service/register', { Name: 'api' })
  await becomes(server, 'later', 'passing', /^No checks found\.$/)

  await put(t, server, '/v1/agent/check/register', { Name: 'far', AliasNode: 'other' })
  await becomes(server, 'far', 'critical', /^Node other could not be found$/)
  const Check = { CheckID: 'disk', Name: 'disk', Status: 'warning', Output: 'nearly full' }
  await put(t, server, '/v1/catalog/register', { Node: 'other', Address: '192.0.2.1', Check })
  await becomes(server, 'far', 'warning', /^Aliased check "disk" failing: nearly full$/)
  await put(t, server, '/v1/catalog/deregister', { Node: 'other' })
  await becomes(server, 'far', 'critical', /could not be found/)
})

test('alias checks continue after a restart', async t => {
  const first = await serverInProcess(t, { log: 'disk' })
  await put(t, first, '/v1/agent/service/register', { Name: 'api', Check: { CheckID: 'up', TTL: '1h' } })
  await put(t, first, '/v1/agent/check/register', { Name: 'alias', AliasService: 'api' })
  await becomes(first, 'alias', 'critical', /failing/)
  await first.close()
  const again = await serverInProcess(t, { dataDir: first.settings.data_dir })
  await put(t, again, '/v1/agent/check/pass/up')
  await becomes(again, 'alias', 'passing', /passing/)
})

test('an alias check has no time of its own, and shows only what its writer may read', async t => {
  const server = await serverInProcess(t)
  const send = (body: object, token?: string) =>
    server.send('PUT', '/v1/agent/check/register', { body, ...(token ? { token } : {}) })
  t.regex((await send({ Name: 'a', AliasService: 'api', TTL: '1s' })).text, /TTL must not be set for alias/)
  const both = await send({ Name: 'a', AliasService: 'api', TCP: 'a:1', Interval: '1s' })
  t.regex(both.text, /cannot stand beside/)
  const token = await secretWith(server, 'own', 'service "own" { policy = "write" }')
  await put(t, server, '/v1/agent/service/register', { Name: 'own' })
  await put(t, server, '/v1/agent/service/register', { Name: 'api' })
  const denied = await send({ Name: 'a', ServiceID: 'own', AliasService: 'api' }, token)
  t.deepEqual([denied.status, /lacks permission 'service:read'/.test(denied.text)], [403, true])
  t.is((await send({ Name: 'a', ServiceID: 'own', AliasService: 'own' }, token)).status, 200)
})

test('the health of a service shows its own checks, and those of the node that the agent has', async t => {
  const server = await serverInProcess(t)
  await put(t, server, '/v1/agent/service/register', { Name: 'web', Check: { TTL: '1h', Status: 'passing' } })
  await put(t, server, '/v1/agent/check/register', { Name: 'disk', TTL: '1h', Status: 'warning' })
  for (const path of ['id/web', 'name/web']) {
    const { status, text } = await server.send('GET', `/v1/agent/health/service/${path}`)
    const [health] = [JSON.parse(text)].flat()
    t.is(status, 429)
    t.deepEqual(
      health.Checks.map(({ CheckID }: Shown) => CheckID),
      ['disk', 'service:web'],
      path
    )
  }
})
