import test from 'ava'
import { serverInProcess } from '../../../support/server.js'

test('the agent reads names of fields in snake case, and keeps the keys of maps', async t => {
  for (const compat of [true, false]) {
    const server = await serverInProcess(t, { config: { compat, acl: { enabled: false } } })
    const put = async (path: string, body: object) => {
      const { status, text } = await server.send('PUT', path, { body })
      t.is(status, 200, `${path}: ${text}`)
    }
    await put('/v1/agent/service/register', {
      Name: 'web',
      Port: 80,
      Meta: { service_id: 'kept' },
      tagged_addresses: { lan_x: { Address: '192.0.2.1', Port: 1 } },
      enable_tag_override: true,
      Check: { check_id: 'up', Name: 'up', TTL: '1h', deregister_critical_service_after: '90m' },
      Connect: {
        sidecar_service: {
          Proxy: { Upstreams: [{ destination_name: 'db', local_bind_port: 9191 }], Config: { a_b: 1 } }
        }
      }
    })
    const services = JSON.parse((await server.send('GET', '/v1/agent/services')).text)
    t.deepEqual(services.web.Meta, { service_id: 'kept' })
    t.true(services.web.EnableTagOverride)
    t.is(services.web.TaggedAddresses.lan_x.Port, 1)
    const { Proxy } = services['web-sidecar-proxy']
    t.deepEqual([Proxy.Upstreams[0].DestinationName, Proxy.Upstreams[0].LocalBindPort], ['db', 9191])
    t.deepEqual(Proxy.Config, { a_b: 1 })
    await put('/v1/agent/service/register', {
      Name: 'proxy',
      Port: 1,
      Kind: 'connect-proxy',
      Proxy: { destination_service_name: 'web' }
    })
    await put('/v1/agent/check/register', {
      Name: 'asks',
      service_id: 'web',
      HTTP: 'https://127.0.0.1:1/',
      tls_skip_verify: true,
      disable_redirects: true,
      Interval: '1h'
    })
    const checks = JSON.parse((await server.send('GET', '/v1/agent/checks')).text)
    t.is(checks.asks.ServiceID, 'web')
    t.truthy(checks.up)
    const { status, text } = await server.send('PUT', '/v1/agent/check/register', { body: { servce_id: '' } })
    t.deepEqual([status, /unknown field "servce_id"/.test(text)], [400, true])
  }
})

test('a check of which nothing is said is none, as Go writes one that it was not given', async t => {
  const server = await serverInProcess(t)
  const register = async (body: object) => {
    const { status, text } = await server.send('PUT', '/v1/agent/service/register', { body })
    return status === 200 ? '' : text
  }
  const plain = { Name: 'web', Port: 99, Check: {}, Checks: [{ TTL: '10s' }] }
  const SidecarService = { Weights: { Passing: 1, Warning: 1 }, Check: {}, Checks: null }
  t.is(await register({ ...plain, Connect: { SidecarService } }), '')
  const checks = JSON.parse((await server.send('GET', '/v1/agent/checks')).text)
  t.deepEqual(Object.keys(checks).toSorted(), [
    'service:web',
    'service:web-sidecar-proxy:1',
    'service:web-sidecar-proxy:2'
  ])
  t.regex(await register({ Name: 'web', Checks: [{}] }), /TTL must be > 0/)
  t.regex(await register({ Name: 'web', Check: { Notes: 'what?' } }), /TTL must be > 0/)
})

test('a service without metadata has none in the catalog, and an empty map at the agent', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/agent/service/register', {
    body: { Name: 'web', Connect: { SidecarService: {} } }
  })
  const of = async (path: string) => JSON.parse((await server.send('GET', path)).text)
  for (const name of ['web', 'web-sidecar-proxy']) {
    t.is((await of(`/v1/health/service/${name}`))[0].Service.Meta, null)
    t.deepEqual((await of(`/v1/catalog/service/${name}`))[0].ServiceMeta, {})
    t.deepEqual((await of(`/v1/agent/service/${name}`)).Meta, {})
  }
})

test('a sidecar has the ID of its service, and a gateway has none', async t => {
  const server = await serverInProcess(t)
  const register = (body: object) => server.send('PUT', '/v1/agent/service/register', { body })
  const named = await register({ Name: 'web', Connect: { SidecarService: { ID: 'mine' } } })
  t.deepEqual([named.status, /cannot specify an ID/.test(named.text)], [400, true])
  const gateway = { Name: 'mesh', Kind: 'mesh-gateway', Port: 443 }
  const sidecar = await register({ ...gateway, Connect: { SidecarService: {} } })
  t.deepEqual([sidecar.status, /mesh-gateway cannot have a sidecar/.test(sidecar.text)], [400, true])
  t.is((await register(gateway)).status, 200)
  t.deepEqual(Object.keys(JSON.parse((await server.send('GET', '/v1/agent/services')).text)), ['mesh'])
})
