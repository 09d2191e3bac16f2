// The mesh gateways of all datacenters.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { FEDERATION } from '../../../../http/routes/internal/federation-states.js'
import { startDatacenters, type Datacenter } from '../../../support/datacenters.js'
import { register } from '../../../support/dns.js'
import { serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { stillClock } from './support.js'

const LIST = '/v1/internal/federation-states'
const gateway = { Kind: 'mesh-gateway', Service: 'gate', Port: 443, Meta: { 'consul-wan-federation': '1' } }

const get = async (server: Datacenter, path: string, token?: string) => {
  const { status, text, headers } = await server.send('GET', path, token === undefined ? {} : { token })
  return {
    status,
    text,
    index: String(headers['x-service-index']),
    body: status === 200 ? JSON.parse(text) : {}
  }
}

interface State {
  readonly Datacenter: string
  readonly MeshGateways: readonly { readonly Node: { readonly Node: string } }[]
}

const namesIn = (states: readonly State[]) =>
  states.map(({ Datacenter, MeshGateways }) => [Datacenter, MeshGateways.map(({ Node }) => Node.Node)])

test('each datacenter knows the mesh gateways of all, and blocking queries notice changes', async t => {
  const remote = () => ({ token: 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55' })
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'], clock: stillClock(), remote })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  const federation = dc1.scope.resolve(FEDERATION)
  const isReported = async (count: number): Promise<void> => {
    await until('it is reported', () => {
      all.advance(1000)
      return federation.others()[0]?.gateways.length === count
    })
  }
  await isReported(0)
  await register(dc1, 'g1', '10.1.0.1', gateway)
  await register(dc2, 'w', '10.2.0.9', { Service: 'web', Port: 1 })
  const before = await get(dc1, LIST)
  t.deepEqual(namesIn(before.body), [
    ['dc1', ['g1']],
    ['dc2', []]
  ])
  const waiting = get(dc1, `${LIST}?index=${before.index}&wait=10m`)
  await until('it waits', () => dc1.app.views.watch.isAwaited('federation-states'))
  await register(dc2, 'g2', '10.2.0.1', gateway)
  await isReported(1)
  t.deepEqual(namesIn((await waiting).body), [
    ['dc1', ['g1']],
    ['dc2', ['g2']]
  ])
  const { body } = await get(dc1, '/v1/internal/federation-state/dc2')
  t.like(body.State.MeshGateways[0], { Service: { Port: 443, Kind: 'mesh-gateway' }, Checks: [] })
  t.is((await get(dc1, '/v1/internal/federation-state/dc9')).status, 404)
  t.is((await get(dc1, '/v1/internal/federation-state/')).status, 400)
  const gateways = await get(dc1, `${LIST}/mesh-gateways`)
  t.deepEqual(Object.keys(gateways.body), ['dc1', 'dc2'])
  // Callers without permissions see no gateways.
  t.deepEqual((await get(dc1, `${LIST}/mesh-gateways`, '')).body, {})
  for (const path of [LIST, '/v1/internal/federation-state/dc2'])
    t.regex((await get(dc1, path, '')).text, /lacks permission 'operator:read'/)
  // An unreachable datacenter keeps its last known gateways.
  await dc2.gate.shut()
  all.advance(5000)
  t.deepEqual(namesIn((await get(dc1, LIST)).body)[1], ['dc2', ['g2']])
  await dc1.send('PUT', '/v1/catalog/deregister', { body: { Node: 'g1' } })
  t.deepEqual(Object.keys((await get(dc1, `${LIST}/mesh-gateways`)).body), ['dc2'])
})

test('chains have targets in other datacenters, whether these can be reached or not', async t => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'], clock: stillClock() })
  const dc1 = all.at('dc1')
  const put = async (entry: object): Promise<void> => {
    const { status, text } = await dc1.send('PUT', '/v1/config', { body: entry })
    t.is(status, 200, text)
  }
  await put({
    Kind: 'service-resolver',
    Name: 'web',
    Failover: { '*': { Datacenters: ['dc2', 'dc1'] } }
  })
  await put({ Kind: 'service-resolver', Name: 'api', Redirect: { Service: 'web', Datacenter: 'dc2' } })
  await put({ Kind: 'proxy-defaults', Name: 'global', MeshGateway: { Mode: 'local' } })
  const chainOf = async (name: string) => (await get(dc1, `/v1/discovery-chain/${name}`)).body.Chain
  for (const isThere of [true, false]) {
    if (!isThere) await all.at('dc2').gate.shut()
    const web = await chainOf('web')
    t.deepEqual(web.Nodes['resolver:web.default.dc1'].Resolver.Failover.Targets, ['web.default.dc2'])
    t.like(web.Targets['web.default.dc2'], { Datacenter: 'dc2', MeshGateway: { Mode: 'local' } })
    t.deepEqual(web.Targets['web.default.dc1'].MeshGateway, {})
    const api = await chainOf('api')
    t.is(api.StartNode, 'resolver:web.default.dc2')
    t.like(api.Targets['web.default.dc2'], { Service: 'web', Datacenter: 'dc2' })
  }
})

test('the token of replication is shown to the primary alone', async t => {
  const shown = new Map<string, Set<unknown>>()
  const recording = async (name: string): Promise<string> => {
    const secrets = new Set<unknown>()
    shown.set(name, secrets)
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/v1/internal/federation-state/'))
        secrets.add(request.headers['x-service-token'])
      response.writeHead(500).end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port }: AddressInfo = Object(server.address())
    return `http://127.0.0.1:${port}`
  }
  const token = 'of the configuration'
  const server = await serverInProcess(t, {
    config: {
      datacenter: 'dc2',
      primary_datacenter: 'dc1',
      datacenters: {
        dc1: { url: await recording('dc1'), token },
        dc3: { url: await recording('dc3'), token },
        dc4: { url: await recording('dc4') }
      }
    }
  })
  const hasShown = (name: string, secret: unknown): boolean => shown.get(name)?.has(secret) ?? false
  await until('all were asked', () => [...shown.values()].every(secrets => secrets.size > 0))
  t.true(hasShown('dc1', token))
  server.app.agentTokens.use('replication', 'of the agent')
  shown.get('dc4')?.clear()
  await until('the primary is asked by the token of the agent', () => {
    server.advance(1000)
    return hasShown('dc1', 'of the agent') && shown.get('dc4')?.size === 1
  })
  t.deepEqual([...(shown.get('dc3') ?? [])], [token])
  t.deepEqual([...(shown.get('dc4') ?? [])], [undefined])
})
