// GET and POST /v1/discovery-chain on a real server (config.md §6, state.md §12).
import test from 'ava'
import type { Chain } from '../../../../projections/chain/chain.js'
import type { TestResponse } from '../../../support/client.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { indexOf, secretWith } from '../../support.js'

const chainIn = ({ text }: TestResponse): Chain => {
  const { Chain: chain }: { readonly Chain: Chain } = JSON.parse(text)
  return chain
}

const put = async (server: TestServer, entry: object): Promise<TestResponse> => {
  const answer = await server.send('PUT', '/v1/config', { body: entry })
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer
}

const defaults = (Name: string, Protocol: string) => ({ Kind: 'service-defaults', Name, Protocol })

/** Sends a read that waits, and answers when it stands in line. */
const waiting = async (server: TestServer, path: string) => {
  const before = server.app.views.watch.size
  let answered = false
  const answer = server.send('GET', path).finally(() => (answered = true))
  await until('the read waits', () => server.app.views.watch.size > before)
  return { answer, isAnswered: () => answered }
}

test('a chain follows its entries, bears the index of all entries, and keeps its cluster', async t => {
  const server = await serverInProcess(t)
  const before = chainIn(await server.send('GET', '/v1/discovery-chain/web'))
  t.is(before.Protocol, 'tcp')
  const written = await put(server, defaults('web', 'http'))
  const answer = await server.send('GET', '/v1/discovery-chain/web')
  t.is(chainIn(answer).Protocol, 'http')
  t.is(indexOf(answer), indexOf(written))
  t.is(answer.headers['x-service-effective-consistency'], 'leader')
  const stale = await server.send('GET', '/v1/discovery-chain/web?stale')
  t.is(stale.headers['x-service-effective-consistency'], 'stale')
  const sni = (chain: Chain) => Object.values(chain.Targets)[0]?.SNI
  t.is(sni(before), `web.default.dc1.internal.${server.app.views.cluster.id}.consul`)
  t.is(sni(chainIn(answer)), sni(before))
})

test('the name is the rest of the path, and must be there', async t => {
  const server = await serverInProcess(t)
  t.is(chainIn(await server.send('GET', '/v1/discovery-chain/a/b')).ServiceName, 'a/b')
  t.is(chainIn(await server.send('GET', '/v1/discovery-chain/a%20b')).ServiceName, 'a b')
  for (const method of ['GET', 'POST']) {
    const { status, text } = await server.send(method, '/v1/discovery-chain/', { body: '{}' })
    t.is(status, 400)
    t.regex(text, /Missing chain name/)
  }
  const other = await server.send('DELETE', '/v1/discovery-chain/web')
  t.is(other.status, 405)
  t.is(other.headers.allow, 'OPTIONS,GET,POST')
})

test('service:read on the service asked for is needed, and nothing for those it leads to', async t => {
  const server = await serverInProcess(t)
  await put(server, { Kind: 'service-resolver', Name: 'web', Redirect: { Service: 'hidden' } })
  const token = await secretWith(server, 'web', 'service "web" { policy = "read" }')
  const { status, text } = await server.send('GET', '/v1/discovery-chain/hidden', { token })
  t.is(status, 403)
  t.regex(text, /lacks permission 'service:read' on "hidden"/)
  const answer = await server.send('GET', '/v1/discovery-chain/web', { token })
  t.is(chainIn(answer).StartNode, 'resolver:hidden.default.dc1')
  const wrong = { OverrideMeshGateway: { Mode: 'x' } }
  const early = await server.send('POST', '/v1/discovery-chain/hidden', { token, body: wrong })
  t.is(early.status, 400)
})

test('overrides are read leniently, and unknown fields are passed over', async t => {
  const server = await serverInProcess(t)
  const ask = async (body: unknown) =>
    chainIn(await server.send('POST', '/v1/discovery-chain/web?compile-dc=dc2', { body }))
  const timeout = async (body: unknown) => (await ask(body)).Targets['web.default.dc2']?.ConnectTimeout
  t.is(await timeout({ OverrideConnectTimeout: '7s' }), '7s')
  t.is(await timeout({ override_connect_timeout: 7e9, Further: [] }), '7s')
  t.is(await timeout({ OverrideConnectTimeout: -5 }), '5s')
  t.is(await timeout('null'), '5s')
  t.is((await ask({ OVERRIDEPROTOCOL: 'http' })).CustomizationHash, '1a47f6e1')
  const mesh = await ask({ OverrideMeshGateway: [{ mode: 'remote', other: 1 }] })
  t.deepEqual(mesh.Targets['web.default.dc2']?.MeshGateway, { Mode: 'remote' })
})

test('bodies that cannot be read are refused with the field and the rule', async t => {
  const server = await serverInProcess(t)
  const refusals: readonly (readonly [string, RegExp])[] = [
    ['', /body is empty/],
    ['[]', /must be an object/],
    ['"x"', /must be an object/],
    ['{', /decoding failed/],
    ['{"OverrideConnectTimeout":"7"}', /"OverrideConnectTimeout": invalid duration "7"/],
    ['{"OverrideProtocol":{}}', /"OverrideProtocol" must be a text/],
    ['{"OverrideMeshGateway":"local"}', /"OverrideMeshGateway" must be an object/],
    ['{"OverrideMeshGateway":{"Mode":"Local"}}', /OverrideMeshGateway.Mode/]
  ]
  for (const [body, message] of refusals) {
    const { status, text } = await server.send('POST', '/v1/discovery-chain/web', { body })
    t.is(status, 400, body)
    t.regex(text, message, body)
  }
})

test('a waiting read ends when the chain differs, and at no other change of entries', async t => {
  const server = await serverInProcess(t)
  const written = await put(server, { Kind: 'service-resolver', Name: 'api', ConnectTimeout: '1s' })
  const read = await waiting(server, `/v1/discovery-chain/web?index=${indexOf(written)}`)
  // Neither an entry that does not matter to the chain, nor one that does but says what holds already.
  await put(server, defaults('other', 'http'))
  await put(server, defaults('web', 'tcp'))
  t.false(read.isAnswered())
  const last = await put(server, defaults('WEB', 'http'))
  const answer = await read.answer
  t.is(chainIn(answer).Protocol, 'http')
  t.is(indexOf(answer), indexOf(last))
})

test('entries that do not fit together make a 400 that names them, until they fit again', async t => {
  const server = await serverInProcess(t)
  for (const name of ['a', 'b', 'c']) await put(server, defaults(name, 'http'))
  await put(server, { Kind: 'service-splitter', Name: 'b', Splits: [{ Weight: 100, Service: 'c' }] })
  await put(server, { Kind: 'service-router', Name: 'a', Routes: [{ Destination: { Service: 'b' } }] })
  await put(server, defaults('c', 'grpc'))
  for (let i = 0; i < 2; i++) {
    const { status, text } = await server.send('GET', '/v1/discovery-chain/a')
    t.is(status, 400)
    t.regex(text, /failed to compile .* \(service-defaults "c", service-defaults "a"\)$/)
  }
  const flat = await server.send('POST', '/v1/discovery-chain/a', { body: { OverrideProtocol: 'tcp' } })
  t.is(flat.status, 200)
  await put(server, defaults('c', 'http'))
  t.is((await server.send('GET', '/v1/discovery-chain/a')).status, 200)
})

test('a cached chain is a hit from the second time on, for each token and each shape, and never old', async t => {
  const server = await serverInProcess(t)
  const token = await secretWith(server, 'all', 'service_prefix "" { policy = "read" }')
  const ask = async (path: string, as?: string) => {
    const answer = await server.send('GET', `/v1/discovery-chain/${path}`, as ? { token: as } : {})
    return [answer.headers['x-cache'], answer.headers.age]
  }
  t.deepEqual(await ask('web?cached'), ['MISS', undefined])
  t.deepEqual(await ask('web?cached'), ['HIT', '0'])
  t.deepEqual(await ask('web?cached&compile-dc=dc2'), ['MISS', undefined])
  t.deepEqual(await ask('web?cached', token), ['MISS', undefined])
  t.deepEqual(await ask('web'), [undefined, undefined])
  await put(server, defaults('web', 'http'))
  const headers = { 'cache-control': 'max-age=0, must-revalidate' }
  const changed = await server.send('GET', '/v1/discovery-chain/web?cached', { headers })
  t.is(changed.headers['x-cache'], 'HIT')
  t.is(chainIn(changed).Protocol, 'http')
  server.advance(4 * 24 * 3600_000)
  t.deepEqual(await ask('web?cached'), ['MISS', undefined])
})

test('the cluster keeps its ID over a restart', async t => {
  const first = await serverInProcess(t, { log: 'disk' })
  const { id } = first.app.views.cluster
  t.regex(id, /^[0-9a-f-]{36}$/)
  await first.close()
  const second = await serverInProcess(t, { dataDir: first.settings.data_dir })
  t.is(second.app.views.cluster.id, id)
})
