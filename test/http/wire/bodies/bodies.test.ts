// Hostile JSON bodies at every endpoint with a body: deeply nested, incomplete, or with very many faults.
import test from 'ava'
import fc from 'fast-check'
import { allRoutes } from '../../../support/routes.js'
import { LEAST_PROCESSOR_TIME } from '../../../support/cost.js'
import { isDeeperThan, parseBounded } from '../../../../http/wire/bodies/json-parsing.js'
import { sampleOf } from '../../../support/property-runs.js'
import { send } from '../../../support/client.js'
import { ROOT, serverInProcess } from '../../../support/server.js'

const LEVELS = 100_000
const ARRAYS = '['.repeat(LEVELS) + ']'.repeat(LEVELS)
const OBJECTS = `${'{"a":'.repeat(LEVELS / 2)}1${'}'.repeat(LEVELS / 2)}`
const BROKEN_OFF = '['.repeat(LEVELS)
const DEEP = [ARRAYS, OBJECTS, BROKEN_OFF]

/** Common fields of bodies, and fields with free values. */
const frames = (path: string): ((inner: string) => string)[] => {
  const common = [
    (inner: string) => inner,
    (inner: string) => `{"Name":${inner}}`,
    (inner: string) => `{"Nothing":${inner}}`,
    (inner: string) => `{"Name":${inner}} and text after it`
  ]
  if (path === '/v1/config')
    return [...common, inner => `{"Kind":"proxy-defaults","Name":"global","Config":${inner}}`]
  if (path !== '/v1/txn') return common
  const entry = (inner: string, more: string) =>
    `[{"ConfigEntry":{"Verb":"set","ConfigEntry":{"Kind":"proxy-defaults","Name":"global","Config":${inner}${more}}}}]`
  return [
    ...common,
    inner => entry(inner, ''),
    // 64-bit numbers are parsed by another parser.
    inner => entry(inner, ',"ModifyIndex":12345678901234567'),
    inner => `[{"KV":{"Verb":"set","Key":"a","Flags":12345678901234567890,"Nothing":${inner}}}]`
  ]
}

const bodyPaths = allRoutes.filter(({ method }) => method === 'PUT' || method === 'POST')

test('a body nested 100,000 levels deep is refused with 4xx by every endpoint that reads JSON', async t => {
  const server = await serverInProcess(t)
  for (const [at, { method, path }] of sampleOf(bodyPaths).entries()) {
    if (path.startsWith('/v1/kv/')) continue
    const url = path.replaceAll(/:\w+/g, 'x').replace('*', 'x')
    for (const [i, frame] of frames(path).entries()) {
      const deep = DEEP[(at + i) % DEEP.length] ?? ''
      const { status, text } = await server.send(method, url, { body: frame(deep) })
      // Some endpoints ignore the body, or accept any text.
      t.true(status < 500, `${method} ${url}: ${status} ${text}`)
    }
  }
  t.is((await server.send('GET', '/v1/status/leader')).status, 200)
})

test('a number beyond the largest double is refused wherever any JSON is stored', async t => {
  const server = await serverInProcess(t)
  const proxy = (config: string) =>
    `{"ID":"p","Service":"p","Port":1,"Kind":"connect-proxy","Proxy":{"DestinationServiceName":"a","Config":${config}}}`
  const digits = `1${'0'.repeat(309)}`
  for (const number of ['1e999', '-1E+400', digits, `-${digits}.5`])
    for (const [path, body] of [
      ['/v1/catalog/register', `{"Node":"n","Address":"a","Service":${proxy(`{"a":[${number}]}`)}}`],
      ['/v1/txn', `[{"Service":{"Verb":"set","Node":"n","Service":${proxy(`{"a":${number}}`)}}}]`],
      ['/v1/acl/auth-method', `{"Name":"m","Type":"jwt","Config":{"ExpirationLeeway":${number}}}`],
      ['/v1/config', `{"Kind":"proxy-defaults","Name":"global","Config":{"a":{"b":${number}}}}`]
    ] as const) {
      const { status, text } = await server.send('PUT', path, { body })
      t.is(status, 400, `${path} ${number}`)
      t.regex(text, /field ".*(a\.0|a|a\.b|Config\.ExpirationLeeway)" holds a number that is too large/, path)
    }
  const body = `{"Kind":"proxy-defaults","Name":"global","Config":{"a":1.7976931348623157e308,"b":"1e999"}}`
  t.is((await server.send('PUT', '/v1/config', { body })).status, 200)
})

test('what is too deep is named, and a value of the deepest nesting allowed is stored', async t => {
  const server = await serverInProcess(t)
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const put = (inner: string) =>
    server.send('PUT', '/v1/config', {
      body: `{"Kind":"proxy-defaults","Name":"global","Config":${inner}}`
    })
  t.is((await put(nested(64))).status, 200)
  t.like(await put(nested(200)), {
    status: 400,
    text: 'Bad request: Decoding failed: the JSON is nested deeper than 128 levels'
  })
})

test('brackets within strings and behind the first value are no nesting', t => {
  const brackets = '['.repeat(1000)
  t.false(isDeeperThan(8, `{"a":"${brackets}"}`))
  t.false(isDeeperThan(8, `{"a":"\\"${brackets}\\\\\\""}`))
  t.false(isDeeperThan(8, `[]${brackets}`))
  t.false(isDeeperThan(8, `["${brackets}`))
  t.true(isDeeperThan(8, `["\\\\",${brackets}`))
  t.true(isDeeperThan(8, '['.repeat(9)))
  t.false(isDeeperThan(8, `${'['.repeat(8)}${']'.repeat(8)}`))
  t.false(isDeeperThan(8, `[${'[],'.repeat(100)}[]]`))
})

test('a body of very many faults is refused in the time that reading it takes', async t => {
  const server = await serverInProcess(t)
  const many = (item: string) => `[${Array.from({ length: 100_000 }, () => item).join(',')}]`
  const fields = Array.from({ length: 25_000 }, (_, i) => `"k${i}":1`).join(',')
  const bodies: [string, string, string, string][] = [
    ['POST', '/v1/internal/acl/authorize', many('[]'), 'field "0" must be object'],
    ['PUT', '/v1/acl/token', `{"Roles":${many('1')}}`, 'field "Roles.0" must be object'],
    ['PUT', '/v1/acl/token', `{${fields}}`, 'unknown field "k0"'],
    ['PUT', '/v1/acl/policy', `{"Datacenters":${many('null')}}`, 'field "Datacenters.0" must be string']
  ]
  /** Returns the processor time of a rejection in µs. Client and server share one thread. */
  const cost = async (method: string, path: string, body: string, fault: string): Promise<number> => {
    const begun = process.threadCpuUsage()
    for (let requests = 1; ; requests++) {
      const { status, text } = await server.send(method, path, { body })
      t.is(status, 400)
      t.true(text.endsWith(fault), text)
      const { user, system } = process.threadCpuUsage(begun)
      if (user + system >= LEAST_PROCESSOR_TIME) return (user + system) / requests
    }
  }
  for (const [method, path, body, fault] of bodies) {
    let [read, refused] = [Infinity, Infinity]
    // The fastest run is one without the garbage collector.
    for (let left = 20; left > 0 && !(refused < 8 * read); left--) {
      // The same size with one fault; reporting all faults would take about twenty times as long.
      read = Math.min(read, await cost('PUT', '/v1/acl/token', `{"k":${body}}`, 'unknown field "k"'))
      refused = Math.min(refused, await cost(method, path, body, fault))
    }
    t.true(refused < 8 * read, `${path}: ${refused} µs, and ${read} µs to read as much`)
  }
})

test('a field with the name of the prototype is unknown like any other', async t => {
  const server = await serverInProcess(t)
  for (const body of ['{"__proto__":{"Name":"hidden"}}', '{"name":"shown","__proto__":{"Rules":""}}']) {
    const { status, text } = await send(server.base, 'PUT', '/v1/acl/policy', { token: ROOT, body })
    t.is(status, 400)
    t.regex(text, /unknown field "__proto__"/)
  }
})

test('letter case of fields does not matter within maps and lists that may be null either', async t => {
  const server = await serverInProcess(t)
  const body = {
    node: 'n',
    address: '10.0.0.1',
    service: { service: 'web', taggedaddresses: { lan: { address: '10.0.0.2', port: 80 } } },
    checks: [{ checkid: 'c', definition: { header: { 'x-a': ['b'] } } }]
  }
  const put = await server.send('PUT', '/v1/catalog/register', { body })
  t.is(put.status, 200, put.text)
  const { text } = await server.send('GET', '/v1/catalog/service/web')
  const [{ ServiceTaggedAddresses }]: [{ readonly ServiceTaggedAddresses: unknown }] = JSON.parse(text)
  t.deepEqual(ServiceTaggedAddresses, { lan: { Address: '10.0.0.2', Port: 80 } })
})

test('of a field that may have several forms the fault names them all', async t => {
  const server = await serverInProcess(t)
  const { text } = await server.send('PUT', '/v1/acl/token', { body: { ExpirationTTL: true } })
  t.is(text, 'Bad request: Token decoding failed: field "ExpirationTTL" must be string or integer')
})

const unit = fc.oneof(
  fc.integer({ min: 0xd800, max: 0xdfff }),
  fc.integer({ min: 0, max: 0xffff }),
  fc.constantFrom(...Buffer.from(String.raw`\u"d8`))
)
/** As UTF-8 has it. */
const readable = (text: string): string => Buffer.from(text).toString()
const anyText = fc.array(unit).map(units => String.fromCharCode(...units))

test('given any texts, then a parsed body has U+FFFD for each surrogate without its partner, and all else as it was', t => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyText, anyText)), pairs => {
      const expected = pairs.map(([name, text]) => ({ [`_${readable(name)}`]: readable(text) }))
      const sent = JSON.stringify(pairs.map(([name, text]) => ({ [`_${name}`]: text })))
      t.deepEqual(parseBounded(sent), expected)
    })
  )
})

test('given names with half of a surrogate pair, when they are listed by pages, then each page is answered', async t => {
  const { base } = await serverInProcess(t)
  const call = (method: string, path: string, body?: string) =>
    send(base, method, path, { token: ROOT, body })
  for (const name of [String.raw`a\ud800`, String.raw`b\udc00`, String.raw`c\ud83d\ude00`])
    t.is(
      (await call('PUT', '/v1/agent/service/register', `{"Name":"${name}","Check":{"TTL":"10s"}}`)).status,
      200
    )
  const first = await call('GET', '/v1/agent/checks?limit=1')
  t.deepEqual(Object.keys(JSON.parse(first.text)), ['service:a\ufffd'])
  const rest = await call(
    'GET',
    String(/<(.*)>/.exec(String(first.headers['link']))?.[1]).replace('limit=1', 'limit=9')
  )
  t.deepEqual(Object.keys(JSON.parse(rest.text)), ['service:b\ufffd', 'service:c\u{1f600}'])
})
