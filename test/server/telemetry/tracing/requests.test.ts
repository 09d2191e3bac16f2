// Traces of requests, as a collector gets them.
import { once } from 'node:events'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { WebSocket } from 'ws'
import { LOGGER } from '../../../../server/settings/ports.js'
import { collector, type CollectedSpan } from '../../../support/collector.js'
import { startDatacenters } from '../../../support/datacenters.js'
import { startServer } from '../../../support/process.js'
import { receiver } from '../../../support/webhook-receiver.js'
import { ROOT, serverInProcess, type TestServerOptions } from '../../../support/server.js'
import { stubProvider } from '../../../support/stub-provider.js'
import { until } from '../../../support/wait.js'
import { serverWithWorker } from '../../../support/worker.js'
import { indexOf } from '../../../http/support.js'
import { hookServer, putHook } from '../../../http/webhooks/support.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const traceparent = `00-${TRACE}-${PARENT}-01`

/** A server that sends its traces, which are whole when it has ended. */
const traced = async (t: ExecutionContext, tracing: object = {}, options: TestServerOptions = {}) => {
  const found = await collector(t)
  const config = { ...options.config, tracing: { endpoint: found.url, ...tracing } }
  const server = await serverInProcess(t, { ...options, config })
  return { server, found }
}

/** The span of this name, the only one. */
const spanOf = (t: ExecutionContext, spans: readonly CollectedSpan[], name: string): CollectedSpan => {
  const [span, ...others] = spans.filter(each => each.name === name)
  if (!span) throw new Error(`no span ${name} among ${spans.map(each => each.name).join(', ')}`)
  t.is(others.length, 0, name)
  return span
}

test('a write is one span, of the trace that it names, with its decision and the flush that it waits for', async t => {
  const { server, found } = await traced(t, { headers: { 'x-key': 'k1' }, service_name: 'control' })
  const headers = { traceparent, tracestate: 'vendor=1', 'X-Service-Request-Id': 'req-1' }
  const written = await server.send('PUT', `/v1/kv/a?token=${ROOT}`, { body: 'v', headers })
  await server.close()
  const span = spanOf(t, found.spans, 'PUT /v1/kv/*key')
  t.like(span, { trace: TRACE, parent: PARENT, kind: 2 })
  t.like(span.attributes, {
    'http.request.method': 'PUT',
    'http.route': '/v1/kv/*key',
    'http.response.status_code': 200,
    'url.path': '/v1/kv/a',
    'url.scheme': 'http',
    'server.address': '127.0.0.1',
    'server.port': server.port,
    'annals.request_id': 'req-1'
  })
  t.deepEqual(span.events, [
    ['decision', { 'annals.command': 'SetKey', 'annals.index': indexOf(written), 'annals.events': 1 }],
    ['flush', {}]
  ])
  t.is(span.status?.code ?? 0, 0)
  t.like(span.resource, { 'service.name': 'control', 'annals.node': 'server-1', 'annals.datacenter': 'dc1' })
  t.is(found.headers[0]?.['x-key'], 'k1')
  t.false(JSON.stringify(found.spans).includes(ROOT))
})

test('a request without a trace, or with one that cannot be read, begins one; refusals and strays are spans, too', async t => {
  const { server, found } = await traced(t)
  await server.send('GET', '/v1/acl/tokens')
  await server.send('GET', '/v1/acl/tokens', { headers: { traceparent: 'ff-nonsense' } })
  await server.send('GET', '/v1/acl/policies', { token: '11111111-2222-4333-8444-555555555555' })
  await server.send('GET', '/v1/nothing')
  await server.close()
  const tokens = found.spans.filter(({ name }) => name === 'GET /v1/acl/tokens')
  t.is(new Set(tokens.map(({ trace }) => trace)).size, 2)
  t.true(tokens.every(({ parent, events }) => parent === '' && events.length === 0))
  const statusOf = (name: string): unknown =>
    spanOf(t, found.spans, name).attributes['http.response.status_code']
  t.deepEqual([statusOf('GET /v1/acl/policies'), statusOf('GET')], [403, 404])
})

test('requests that the caller does not record or that are not sampled are not sent, and the trace context is kept', async t => {
  const { server, found } = await traced(t, { sample_ratio: 0.000_000_001 })
  await server.send('PUT', '/v1/kv/a', { body: 'v' })
  await server.send('PUT', '/v1/kv/b', { body: 'v', headers: { traceparent: `00-${TRACE}-${PARENT}-00` } })
  await server.send('PUT', '/v1/kv/c', { body: 'v', headers: { traceparent } })
  await server.close()
  t.deepEqual(
    found.spans.map(({ attributes }) => attributes['url.path']),
    ['/v1/kv/c']
  )
})

test('what is asked of an identity provider belongs to the trace', async t => {
  const provider = await stubProvider(t)
  provider.addKey('RS256', 'k1')
  const { server, found } = await traced(t)
  const Config = { JWKSURL: `${provider.issuer}/jwks`, BoundIssuer: provider.issuer }
  const body = { Name: 'jwt', Type: 'jwt', Config }
  t.is((await server.send('PUT', '/v1/acl/auth-method', { body, headers: { traceparent } })).status, 200)
  await server.close()
  const span = spanOf(t, found.spans, 'PUT /v1/acl/auth-method')
  t.is(provider.calls[0]?.headers['traceparent'], `00-${TRACE}-${span.id}-01`)
})

test('a webhook delivery belongs to the trace of the request that wrote its commits', async t => {
  const found = await collector(t)
  const hook = await receiver(t)
  const server = await hookServer(t, {
    config: { outgoing: { allow: ['127.0.0.1/32'] }, tracing: { endpoint: found.url } }
  })
  await putHook(server, { URL: hook.url })
  await server.send('PUT', '/v1/kv/load/a', { body: 'v', headers: { traceparent } })
  await until('it has arrived', () => hook.calls.some(({ text }) => text.includes('load/a')))
  await server.close()
  const write = spanOf(t, found.spans, 'PUT /v1/kv/*key')
  const call = hook.calls.find(({ text }) => text.includes('load/a'))
  const delivery = found.spans.find(({ parent }) => parent === write.id)
  t.like(delivery, { name: 'POST', kind: 3, trace: TRACE })
  t.like(delivery?.attributes, { 'annals.cursor': 'hook', 'server.address': '127.0.0.1' })
  t.is(call?.headers['traceparent'], `00-${TRACE}-${delivery?.id}-01`)
})

test('a request that another datacenter answers is a span in both, one below the other', async t => {
  const found = await collector(t)
  const all = await startDatacenters(t, {
    names: ['dc1', 'dc2'],
    of: () => ({ config: { tracing: { endpoint: found.url } } })
  })
  const [here, there] = [all.at('dc1'), all.at('dc2')]
  const { status } = await here.send('PUT', '/v1/kv/far?dc=dc2', { body: 'v', headers: { traceparent } })
  t.is(status, 200)
  await Promise.all([here.close(), there.close()])
  const ofTrace = found.spans.filter(({ trace }) => trace === TRACE)
  const [own] = ofTrace.filter(({ parent }) => parent === PARENT)
  const [far] = ofTrace.filter(({ parent }) => parent === own?.id)
  t.is(own?.resource['annals.datacenter'], 'dc1')
  t.is(far?.resource['annals.datacenter'], 'dc2')
  t.deepEqual(
    far?.events.map(([name]) => name),
    ['decision', 'flush']
  )
  t.is(ofTrace.length, 2)
})

test('a write at a worker is a span there, and one of the main process below it', async t => {
  const found = await collector(t)
  const { worker, close } = await serverWithWorker(t, { config: { tracing: { endpoint: found.url } } })
  t.is((await worker.send('PUT', '/v1/kv/a', { body: 'v', headers: { traceparent } })).status, 200)
  await close()
  const ofTrace = found.spans.filter(({ trace }) => trace === TRACE)
  const [sent] = ofTrace.filter(({ parent }) => parent === PARENT)
  const [decided] = ofTrace.filter(({ parent }) => parent === sent?.id)
  t.regex(String(sent?.resource['service.instance.id']), /\/\d+$/)
  t.deepEqual(
    decided?.events.map(([name]) => name),
    ['decision', 'flush']
  )
})

test('a WebSocket is a span that ends when it opens', async t => {
  const { server, found } = await traced(t)
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/event/stream`, {
    headers: { 'X-Service-Token': ROOT }
  })
  await once(socket, 'open')
  socket.terminate()
  await once(socket, 'close')
  await server.close()
  t.is(spanOf(t, found.spans, 'GET /v1/event/stream').attributes['http.response.status_code'], 101)
})

test('a failing collector is logged, and has no other effect', async t => {
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: line => void lines.push(line) })
  const { server, found } = await traced(t, {}, { register: scope => scope.registerInstance(LOGGER, logger) })
  found.answer(400)
  t.is((await server.send('PUT', '/v1/kv/a', { body: 'v' })).status, 200)
  await server.close()
  t.is(lines.filter(line => line.includes('traces cannot be sent')).length, 1)
})

/** Writes at the end which modules of CommonJS were loaded, as those of the SDK are. */
const LIST = `import { createRequire } from 'node:module'
process.on('exit', () => console.log(Object.keys(createRequire('/').cache).join('\\n')))`

test('without the setting nothing of the SDK is loaded', async t => {
  const loaded = async (config: object): Promise<string> => {
    const nodeArguments = [`--import=data:text/javascript,${encodeURIComponent(LIST)}`]
    const server = await startServer(t, { config: { ...config }, nodeArguments })
    await server.stop()
    return server.log()
  }
  const { url: endpoint } = await collector(t)
  const ofSdk = /@opentelemetry\/(sdk-trace|exporter-trace|resources|core)\//
  t.regex(await loaded({ tracing: { endpoint } }), ofSdk)
  t.notRegex(await loaded({}), ofSdk)
})
