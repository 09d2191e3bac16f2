// Requests that name another datacenter, and writes of what belongs to the primary one.
import { once } from 'node:events'
import { createServer } from 'node:http'
import test, { type ExecutionContext } from 'ava'
import { startDatacenters, type Datacenter, type DatacentersOptions } from '../../../support/datacenters.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

const two = async (t: ExecutionContext, options: DatacentersOptions = {}) => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'], ...options })
  return { all, dc1: all.at('dc1'), dc2: all.at('dc2') }
}

const indexOf = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): number =>
  Number(headers['x-service-index'])

/** A token of one datacenter alone, with these rules. */
const localToken = async (server: Datacenter, rules: string): Promise<string> => {
  const name = `p-${server.name}`
  await server.send('PUT', '/v1/acl/policy', { body: { Name: name, Rules: rules } })
  const made = await server.send('PUT', '/v1/acl/token', {
    body: { Local: true, Policies: [{ Name: name }] }
  })
  return JSON.parse(made.text).SecretID
}

test('a read and a write go to the datacenter that they name, and the answer is that of its server', async t => {
  const { dc1, dc2 } = await two(t)
  await dc2.send('PUT', '/v1/kv/only', { body: 'there' })
  await dc2.send('PUT', '/v1/kv/more', { body: '1' })
  const direct = await dc2.send('GET', '/v1/kv/only?raw')
  const far = await dc1.send('GET', '/v1/kv/only?raw&dc=dc2')
  t.is(far.text, 'there')
  t.is(far.headers['x-service-index'], direct.headers['x-service-index'])
  t.is(far.headers['content-type'], direct.headers['content-type'])
  t.is((await dc1.send('GET', '/v1/kv/only?raw&datacenter=dc2')).text, 'there')
  const put = await dc1.send('PUT', '/v1/kv/written?dc=dc2&flags=7', { body: 'x'.repeat(100_000) })
  t.is(put.text, 'true')
  t.like(JSON.parse((await dc2.send('GET', '/v1/kv/written')).text)[0], { Flags: 7 })
  t.is((await dc1.send('GET', '/v1/kv/written')).status, 404)
  t.is((await dc1.send('DELETE', '/v1/kv/written?dc=dc2')).text, 'true')
  t.is((await dc2.send('GET', '/v1/kv/written')).status, 404)
  t.is((await dc1.send('GET', '/v1/kv/none?dc=dc2')).status, 404)
  t.is((await dc1.send('GET', '/v1/kv/only?dc=dc1')).status, 404)
})

test('the token is judged where the request is answered', async t => {
  const { dc1, dc2 } = await two(t)
  const token = await localToken(dc1, 'key_prefix "" { policy = "write" }')
  t.is((await dc1.send('PUT', '/v1/kv/a', { token, body: '1' })).status, 200)
  const far = await dc1.send('PUT', '/v1/kv/a?dc=dc2', { token, body: '1' })
  t.deepEqual([far.status, far.text], [403, 'Permission denied: This is a local token in datacenter "dc1"'])
  t.is((await dc2.send('PUT', '/v1/kv/b?dc=dc1', { token, body: '1' })).text, 'true')
  t.is((await dc1.send('GET', '/v1/kv/a?dc=dc2&raw', { token: undefined })).status, 403)
})

test('who brings no token asks with that of the server', async t => {
  const { dc1, dc2 } = await two(t, {
    of: name => ({
      config: name === 'dc1' ? { acl: { tokens: { default: ROOT, initial_management: ROOT } } } : {}
    })
  })
  t.is((await dc1.send('PUT', '/v1/kv/a?dc=dc2', { token: undefined, body: '1' })).text, 'true')
  t.is((await dc2.send('GET', '/v1/kv/a?raw')).text, '1')
})

test('a datacenter that is not known is refused, whatever the route', async t => {
  const { dc1 } = await two(t)
  for (const path of ['/v1/kv/a?dc=dc9', '/v1/catalog/nodes?dc=DC2', '/v1/event/stream?region=dc9']) {
    const { status, text } = await dc1.send('GET', path)
    t.is(status, 400, path)
    t.regex(text, /^No path to datacenter: "(dc9|DC2)" is not known$/)
  }
  t.is((await dc1.send('PUT', '/v1/kv/a?dc=dc9', { body: '1' })).status, 400)
})

test('where a datacenter cannot be reached it is said, and nothing was done', async t => {
  const { dc1, dc2 } = await two(t)
  await dc2.gate.shut()
  for (const [method, body] of [['GET'], ['PUT', '1'], ['DELETE']] as const) {
    const { status, text } = await dc1.send(method, '/v1/kv/a?dc=dc2', body ? { body } : {})
    t.is(status, 500)
    t.regex(text, /^No path to datacenter: no server of "dc2" can be reached/)
  }
  await dc2.gate.open()
  t.is((await dc1.send('GET', '/v1/kv/a?dc=dc2')).status, 404)
})

test('a write whose connection is lost is of unknown outcome; with a key it is made once', async t => {
  const { dc1 } = await two(t)
  const headers = { 'X-Service-Idempotency-Key': '11111111-2222-3333-4444-555555555555' }
  const first = await dc1.send('PUT', '/v1/kv/once?dc=dc2', { body: '1', headers })
  const again = await dc1.send('PUT', '/v1/kv/once?dc=dc2', { body: '1', headers })
  t.is(indexOf(first), indexOf(again))
  const broken = createServer(request => void request.socket.destroy()).listen(0, '127.0.0.1')
  await once(broken, 'listening')
  t.teardown(() => void broken.close())
  const place = broken.address()
  const url = `http://127.0.0.1:${typeof place === 'object' ? place?.port : 0}`
  const server = await serverInProcess(t, { config: { datacenters: { dc2: { url } } } })
  const { status, text, headers: answered } = await server.send('PUT', '/v1/kv/lost?dc=dc2', { body: '1' })
  t.is(status, 500)
  t.is(answered['x-service-outcome'], 'unknown')
  t.regex(text, /^The outcome is not known: the connection to datacenter "dc2" was lost/)
})

test('a blocking read waits there for as long as it says', async t => {
  const { dc1, dc2, all } = await two(t)
  await dc2.send('PUT', '/v1/kv/a', { body: '1' })
  const index = indexOf(await dc1.send('GET', '/v1/kv/a?dc=dc2'))
  const { watch } = dc2.app.views
  const waiting = dc1.send('GET', `/v1/kv/a?raw&dc=dc2&index=${index}&wait=10m`)
  await until('it waits there', () => watch.size > 0)
  all.advance(9 * 60_000)
  await dc2.send('PUT', '/v1/kv/a', { body: '2' })
  const woken = await waiting
  t.is(woken.text, '2')
  const over = await dc1.send('GET', `/v1/kv/a?raw&dc=dc2&index=${indexOf(woken)}&wait=1ms`)
  t.deepEqual([over.text, indexOf(over)], ['2', indexOf(woken)])
})

test('what a client no longer waits for is given up there, and so is what waits when the server ends', async t => {
  const { dc1, dc2 } = await two(t)
  const path = `/v1/catalog/nodes?dc=dc2&index=${indexOf(await dc2.send('GET', '/v1/catalog/nodes'))}&wait=10m`
  const { watch } = dc2.app.views
  const client = new AbortController()
  const leaving = fetch(dc1.base + path, { headers: { 'X-Service-Token': ROOT }, signal: client.signal })
  await until('it waits there', () => watch.size > 0)
  client.abort()
  await t.throwsAsync(leaving)
  await until('no request waits there', () => watch.size === 0)
  const waiting = dc1.send('GET', path)
  await until('it waits there', () => watch.size > 0)
  await dc1.close()
  t.is((await waiting).status, 503)
  await until('no request waits there', () => watch.size === 0)
})

test('answers from a cache, namespaces and explanations are those of the other side', async t => {
  const { dc1, dc2 } = await two(t)
  await dc2.send('PUT', '/v1/namespace', { body: { Name: 'team' } })
  t.is((await dc1.send('PUT', '/v1/kv/a?dc=dc2&ns=team', { body: '1' })).text, 'true')
  t.is((await dc2.send('GET', '/v1/kv/a?raw&ns=team')).text, '1')
  const headers = { 'X-Service-Namespace': 'team' }
  t.is((await dc1.send('GET', '/v1/kv/a?raw&dc=dc2', { headers })).text, '1')
  const cached = (server: Datacenter, query: string) =>
    server.send('GET', `/v1/catalog/datacenters?cached${query}`).then(answer => answer.headers['x-cache'])
  t.is(await cached(dc1, '&dc=dc2'), 'MISS')
  t.is(await cached(dc2, ''), 'HIT')
})

test('two datacenters that each take the other one for a third send nothing round', async t => {
  const dc1 = await serverInProcess(t, { config: { datacenters: {} } })
  const confused = await serverInProcess(t, {
    config: { datacenter: 'dc9', primary_datacenter: 'dc2', datacenters: { dc2: { url: dc1.base } } }
  })
  const asking = await serverInProcess(t, {
    config: { datacenter: 'dc1', datacenters: { dc2: { url: confused.base } } }
  })
  for (const [method, path] of [
    ['GET', '/v1/kv/a?dc=dc2'],
    ['PUT', '/v1/acl/policy?dc=dc9']
  ] as const) {
    const server = method === 'GET' ? asking : confused
    const headers = method === 'GET' ? {} : { 'X-Annals-Datacenter': 'dc1' }
    const { status, text } = await server.send(method, path, {
      headers,
      ...(method === 'GET' ? {} : { body: {} })
    })
    t.is(status, 400)
    t.regex(
      text,
      /^Loop between datacenters: "dc1" has sent the request to "dc9", which would send it on to "dc2"/
    )
  }
})

test('the client address is forwarded to servers that trust it', async t => {
  const { dc1, dc2 } = await two(t, {
    of: name => ({ config: name === 'dc2' ? { http: { trusted_proxies: ['127.0.0.1'] } } : {} })
  })
  const headers = { 'X-Forwarded-For': '192.0.2.7' }
  await dc1.send('PUT', '/v1/kv/a?dc=dc2', { body: '1', headers })
  await dc2.send('PUT', '/v1/kv/b', { body: '1', headers })
  const history = await dc2.send('GET', '/v1/history/kv/a')
  t.regex(history.text, /"Address":"127\.0\.0\.1"/)
})

test('what is sent is counted', async t => {
  const { dc1, dc2 } = await two(t)
  await dc1.send('GET', '/v1/kv/a?dc=dc2')
  await dc2.gate.shut()
  await dc1.send('GET', '/v1/kv/a?dc=dc2')
  const { text } = await dc1.send('GET', '/v1/agent/metrics?format=prometheus')
  t.regex(text, /annals_datacenter_requests_total\{outcome="answered"\} [1-9]/)
  t.regex(text, /annals_datacenter_requests_total\{outcome="unreachable"\} [1-9]/)
  t.regex(text, /annals_http_requests_total\{method="GET",path="\/v1\/kv\/\*key",status="500"\} 1\n/)
})
