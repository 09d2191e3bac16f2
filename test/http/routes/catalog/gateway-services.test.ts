import test, { type ExecutionContext } from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { secretWith } from '../../support.js'

const PATH = '/v1/catalog/gateway-services/gw'

interface Link {
  readonly Gateway: object
  readonly Service: { readonly Name: string }
  readonly [field: string]: unknown
}

const links = async (server: TestServer, path = PATH, token?: string): Promise<readonly Link[]> =>
  JSON.parse((await server.send('GET', path, token === undefined ? {} : { token })).text)

const names = (list: readonly Link[]): string[] => list.map(({ Service }) => Service.Name)

const put = async (t: ExecutionContext, server: TestServer, path: string, body: object): Promise<void> => {
  const { status, text } = await server.send('PUT', path, { body })
  t.is(status, 200, text)
}

const configure = (t: ExecutionContext, server: TestServer, entry: object) =>
  put(t, server, '/v1/config', entry)

const register = (t: ExecutionContext, server: TestServer, Service: object) =>
  put(t, server, '/v1/catalog/register', { Node: 'n', Address: '10.0.0.1', Service })

const deregister = (t: ExecutionContext, server: TestServer, ServiceID: string) =>
  put(t, server, '/v1/catalog/deregister', { Node: 'n', ServiceID })

const terminating = (Services: readonly object[]) => ({ Kind: 'terminating-gateway', Name: 'gw', Services })

test('a terminating gateway for every service is one for each that is there, and not for proxies or servers', async t => {
  const server = await serverInProcess(t)
  await configure(
    t,
    server,
    terminating([
      { Name: '*', CAFile: 'all.pem' },
      { Name: 'db', SNI: 'db.local' }
    ])
  )
  await register(t, server, { Service: 'web' })
  await register(t, server, { Service: 'Api' })
  const proxy = {
    Service: 'web-proxy',
    Port: 1,
    Kind: 'connect-proxy',
    Proxy: { DestinationServiceName: 'web' }
  }
  await register(t, server, proxy)
  const found = await links(server)
  t.deepEqual(names(found), ['Api', 'db', 'web'])
  const [api, db] = found
  t.like(api, {
    Gateway: { Name: 'gw' },
    GatewayKind: 'terminating-gateway',
    CAFile: 'all.pem',
    FromWildcard: true
  })
  t.like(db, { SNI: 'db.local' })
  t.false(db !== undefined && 'FromWildcard' in db)
  await deregister(t, server, 'web')
  t.deepEqual(names(await links(server)), ['Api', 'db'])
})

test('what an entry says of one service wins over what it says of all', async t => {
  const server = await serverInProcess(t)
  await register(t, server, { Service: 'web' })
  await configure(
    t,
    server,
    terminating([
      { Name: '*', CAFile: 'all.pem' },
      { Name: 'web', CAFile: 'own.pem' }
    ])
  )
  const [only, ...others] = await links(server)
  t.like(only, { CAFile: 'own.pem' })
  t.is(others.length, 0)
})

const ingress = {
  Kind: 'ingress-gateway',
  Name: 'gw',
  Listeners: [
    { Port: 8080, Protocol: 'http', Services: [{ Name: '*' }] },
    { Port: 9000, Protocol: 'tcp', Services: [{ Name: 'db' }] }
  ]
}

const speaks = (t: ExecutionContext, server: TestServer, Name: string, Protocol: string) =>
  configure(t, server, { Kind: 'service-defaults', Name, Protocol })

test('an ingress gateway for every service is one for those that speak the protocol of its listener', async t => {
  const server = await serverInProcess(t)
  await speaks(t, server, 'web', 'http')
  await configure(t, server, ingress)
  for (const Service of ['web', 'plain', 'late']) await register(t, server, { Service })
  await register(t, server, { Service: 'gw', Kind: 'ingress-gateway', Port: 1 })
  t.deepEqual(names(await links(server)), ['db', 'web'])
  t.like((await links(server))[1], {
    GatewayKind: 'ingress-gateway',
    Port: 8080,
    Protocol: 'http',
    FromWildcard: true
  })
  const exposed = async (name: string) =>
    JSON.parse((await server.send('GET', `/v1/health/ingress/${name}`)).text).length
  t.deepEqual(
    [await exposed('web'), await exposed('db'), await exposed('late'), await exposed('nothing')],
    [1, 1, 0, 0]
  )
  await speaks(t, server, 'late', 'http')
  t.deepEqual(names(await links(server)), ['db', 'late', 'web'])
  t.is(await exposed('late'), 1)
})

test('who waits for the services of a gateway for all is woken by a service that comes, and by nothing else', async t => {
  const server = await serverInProcess(t)
  await configure(t, server, terminating([{ Name: '*' }]))
  await register(t, server, { Service: 'web' })
  const index = (await server.send('GET', PATH)).headers['x-service-index']
  let isAnswered = false
  const waiting = links(server, `${PATH}?index=${String(index)}&wait=20s`).then(found => {
    isAnswered = true
    return found
  })
  await register(t, server, { Service: 'web', Port: 81 })
  await register(t, server, { ID: 'web2', Service: 'web' })
  await server.send('PUT', '/v1/kv/a', { body: 'x' })
  t.false(isAnswered)
  await register(t, server, { Service: 'new' })
  t.deepEqual(names(await waiting), ['new', 'web'])
})

test('services that may not be read are left out, and a gateway that may not be read is refused', async t => {
  const server = await serverInProcess(t)
  await configure(t, server, terminating([{ Name: '*' }]))
  for (const Service of ['web', 'hidden']) await register(t, server, { Service })
  const some = await secretWith(
    server,
    'some',
    'service "gw" { policy = "read" } service "web" { policy = "read" }'
  )
  t.deepEqual(names(await links(server, PATH, some)), ['web'])
  const none = await secretWith(server, 'none', 'service "web" { policy = "read" }')
  t.is((await server.send('GET', PATH, { token: none })).status, 403)
})
