// Answers of earlier indexes: the same that were given then, by the rights of now.
import test, { type ExecutionContext } from 'ava'
import * as fc from 'fast-check'
import { applyPatch, type Operation } from 'rfc6902'
import { formatTime } from '../../../events/time.js'
import { elementsByName } from '../../../http/history/time-travel.js'
import { createPolicy, createToken, indexOf, secretWith } from '../support.js'
import { serverInProcess, type TestServer } from '../../support/server.js'
import { pem } from '../../support/stub-provider.js'

/** Of the property; `ANNALS_TIME_TRAVEL_RUNS` for more. */
const RUNS = Number(process.env['ANNALS_TIME_TRAVEL_RUNS'] ?? 2)

/** Every kind of answer that may be asked for as it was. */
const PATHS = [
  '/v1/kv/a/x',
  '/v1/kv/a/?recurse',
  '/v1/kv/?keys&separator=/',
  '/v1/kv/a/?recurse&ns=*',
  '/v1/acl/tokens',
  '/v1/acl/tokens?ns=*',
  '/v1/acl/token/self',
  '/v1/acl/token/self/rights',
  '/v1/acl/policies',
  '/v1/acl/policy/name/p1',
  '/v1/acl/policy/name/p2',
  '/v1/acl/roles',
  '/v1/acl/role/name/r1',
  '/v1/acl/auth-methods',
  '/v1/acl/auth-method/m',
  '/v1/acl/binding-rules',
  '/v1/namespaces',
  '/v1/namespace/team',
  '/v1/partitions',
  '/v1/partition/part',
  '/v1/config/',
  '/v1/config/service-defaults',
  '/v1/config/service-defaults/web',
  '/v1/connect/intentions',
  '/v1/connect/intentions/exact?source=a&destination=web',
  '/v1/connect/intentions/match?by=destination&name=web',
  '/v1/connect/intentions/check?source=a&destination=web',
  '/v1/query',
  '/v1/session/list',
  '/v1/session/node/n1',
  '/v1/catalog/nodes',
  '/v1/catalog/services',
  '/v1/catalog/service/web',
  '/v1/catalog/node/n1',
  '/v1/catalog/node-services/n1',
  '/v1/catalog/connect/web',
  '/v1/catalog/gateway-services/gateway',
  '/v1/health/service/web',
  '/v1/health/node/n1',
  '/v1/health/checks/web',
  '/v1/health/state/any',
  '/v1/discovery-chain/web',
  '/v1/coordinate/nodes',
  '/v1/operator/autopilot/configuration',
  '/v1/event/state?ns=*&partition=*',
  '/v1/event/state?topic=KV:a/',
  '/v1/event/state?topic=any&ns=*&filter=Payload.KV.Key%20matches%20%22x%22',
  '/v1/event/state?topic=Service&topic=Check'
] as const

const node = (Meta: object, more: object = {}): object => ({
  Node: 'n1',
  Address: '10.0.0.1',
  NodeMeta: Meta,
  ...more
})
const service = (Tags: readonly string[], Status: string): object =>
  node({}, { Service: { Service: 'web', Tags, Port: 80 }, Check: { Name: 'up', ServiceID: 'web', Status } })

/** What a client may do next. */
const doings = (text: string): readonly (readonly [method: string, path: string, body?: unknown])[] => [
  ['PUT', '/v1/kv/a/x', text],
  ['PUT', `/v1/kv/a/${text}`, 'value'],
  ['PUT', '/v1/kv/a/x?ns=team', text],
  ['DELETE', '/v1/kv/a/x'],
  ['DELETE', '/v1/kv/a/?recurse'],
  ['PUT', '/v1/acl/policy', { Name: 'p1', Description: text }],
  ['PUT', '/v1/acl/policy', { Name: 'p2', Description: text }],
  ['PUT', '/v1/acl/policy/name', {}],
  ['PUT', '/v1/acl/role', { Name: 'r1', Policies: [{ Name: 'p1' }] }],
  ['PUT', '/v1/acl/token', { Description: text, Policies: [{ Name: 'p1' }] }],
  ['PUT', '/v1/acl/token', { Description: text, Roles: [{ Name: 'r1' }] }],
  [
    'PUT',
    '/v1/acl/auth-method',
    { Name: 'm', Type: 'jwt', Config: { JWTValidationPubKeys: [pem('ca.pem')] } }
  ],
  ['PUT', '/v1/acl/binding-rule', { AuthMethod: 'm', BindType: 'role', BindName: text }],
  ['DELETE', '/v1/acl/auth-method/m'],
  ['PUT', '/v1/namespace', { Name: 'team', Description: text }],
  ['PUT', '/v1/partition', { Name: 'part', Description: text }],
  [
    'PUT',
    '/v1/config',
    { Kind: 'service-defaults', Name: 'web', Protocol: text.length > 2 ? 'http' : 'tcp' }
  ],
  ['PUT', '/v1/config', { Kind: 'terminating-gateway', Name: 'gateway', Services: [{ Name: 'web' }] }],
  ['DELETE', '/v1/config/service-defaults/web'],
  ['PUT', '/v1/connect/intentions/exact?source=a&destination=web', { Action: 'allow', Description: text }],
  ['DELETE', '/v1/connect/intentions/exact?source=a&destination=web'],
  ['POST', '/v1/query', { Name: text, Service: { Service: 'web' } }],
  ['PUT', '/v1/session/create', { Node: 'n1', Name: text, Checks: [] }],
  ['PUT', '/v1/catalog/register', node({ rack: text })],
  ['PUT', '/v1/catalog/register', service([text], 'passing')],
  ['PUT', '/v1/catalog/register', service([], 'critical')],
  ['PUT', '/v1/catalog/deregister', { Node: 'n1', ServiceID: 'web' }],
  ['PUT', '/v1/catalog/deregister', { Node: 'n1' }],
  ['PUT', '/v1/operator/autopilot/configuration', { MaxTrailingLogs: text.length + 1 }]
]

const doing = fc
  .tuple(fc.nat(), fc.stringMatching(/^[a-z]{1,4}$/))
  .map(([at, text]) => doings(text)[at % doings(text).length] ?? ['GET', '/'])

const isState = (path: string): boolean => path.startsWith('/v1/event/state')

/** Without what goes with a token, and what is known of now alone; tokens in an order that their secrets do not make, and events in any. */
const comparable = (path: string, text: string): unknown => {
  if (isState(path)) {
    const messages: readonly { readonly Events: readonly object[] }[] = JSON.parse(text)
    return messages.flatMap(({ Events }) => Events.map(each => JSON.stringify(each))).toSorted()
  }
  if (!path.startsWith('/v1/acl/token')) return text
  const parsed: object | readonly { readonly AccessorID: string }[] = JSON.parse(text)
  const strip = (value: object): string =>
    JSON.stringify(value, (field, inside: unknown) =>
      field === 'SecretID' || field === 'LastUsed' ? undefined : inside
    )
  return Array.isArray(parsed) ? parsed.map(strip).toSorted() : strip(parsed)
}

const asked = (path: string, more: string): string => `${path}${path.includes('?') ? '&' : '?'}${more}`

interface Recorded {
  readonly index: number
  readonly path: string
  readonly status: number
  readonly text: string
}

/** Lists, the paths of their elements, and by what they are named. */
const NAMED = [
  ['/v1/acl/policies', '/v1/acl/policy/', 'ID'],
  ['/v1/acl/roles', '/v1/acl/role/', 'ID'],
  ['/v1/acl/tokens', '/v1/acl/token/', 'AccessorID'],
  ['/v1/acl/binding-rules', '/v1/acl/binding-rule/', 'ID'],
  ['/v1/query', '/v1/query/', 'ID'],
  ['/v1/session/list', '/v1/session/info/', 'ID']
] as const

const record = async (server: TestServer): Promise<readonly Recorded[]> => {
  const index = server.app.log.durableIndex
  const read = async (path: string): Promise<Recorded> => {
    // What was true is what a stream began with then.
    const now = isState(path) ? asked(path.replace('/state', '/stream'), 'snapshot=true&until=now') : path
    const { status, text } = await server.send('GET', now)
    const lines = text.split('\n').filter(line => line.includes('"Events":'))
    return { index, path, status, text: isState(path) ? `[${lines.join(',')}]` : text }
  }
  const recorded = await Promise.all(PATHS.map(read))
  const newest = NAMED.flatMap(([list, path, field]) => {
    const found = recorded.find(one => one.path === list)?.text ?? '[]'
    const elements: readonly Readonly<Record<string, string>>[] = JSON.parse(found)
    const id = elements.at(-1)?.[field]
    return id === undefined ? [] : [`${path}${id}`]
  })
  return [...recorded, ...(await Promise.all(newest.map(read)))]
}

const isAsRecorded = async (t: ExecutionContext, server: TestServer, one: Recorded): Promise<void> => {
  const { index, path, status, text } = one
  const then = await server.send('GET', asked(path, `at=${index}`))
  t.is(then.status, status, `${path} at ${index}: ${then.text}`)
  if (status === 404) t.is(indexOf(then), index)
  if (status !== 200) return
  t.deepEqual(comparable(path, then.text), comparable(path, text), `${path} at ${index}`)
  t.is(indexOf(then), index)
}

test('each kind answers an earlier index as it did at that time', async t => {
  const server = await serverInProcess(t)
  await fc.assert(
    fc.asyncProperty(fc.array(doing, { minLength: 4, maxLength: 10 }), async moves => {
      const recorded: Recorded[] = []
      for (const [method, path, body] of moves) {
        await server.send(
          method,
          path,
          body === undefined ? {} : { body: typeof body === 'string' ? body : { ...body } }
        )
        recorded.push(...(await record(server)))
      }
      for (const one of recorded) await isAsRecorded(t, server, one)
    }),
    { numRuns: RUNS }
  )
})

test('a patch between two indexes turns one response into the other, also for lists', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/kv/a/x', { body: '1' })
  const older = await record(server)
  for (const [method, path, body] of doings('abc'))
    await server.send(
      method,
      path,
      body === undefined ? {} : { body: typeof body === 'string' ? body : { ...body } }
    )
  await server.send('PUT', '/v1/kv/a/new', { body: '1' })
  const after = await record(server)
  for (const { index: from, path, status, text } of older) {
    const last = after.find(one => one.path === path)
    if (!last || path.startsWith('/v1/acl/token') || isState(path)) continue
    const answer = await server.send('GET', asked(path, `diff=${from}..${last.index}`))
    t.is(answer.status, 200, answer.text)
    t.is(answer.headers['content-type'], 'application/json-patch+json')
    t.is(indexOf(answer), last.index)
    const patch: readonly Operation[] = JSON.parse(answer.text)
    const valueOf = (found: string, code: number): unknown =>
      code === 200 ? elementsByName(JSON.parse(found)) : null
    const document = { value: valueOf(text, status) }
    const rooted = patch.map(one => ({ ...one, path: `/value${one.path}` }))
    t.deepEqual(applyPatch(document, rooted).filter(Boolean), [])
    t.deepEqual(document.value, valueOf(last.text, last.status), path)
  }
  const { text } = await server.send('GET', `/v1/kv/a/?recurse&diff=${older[0]?.index}..${after[0]?.index}`)
  t.regex(text, /"path":"\/a~1new"/)
})

test('a time means the newest commit that is not younger', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/kv/k', { body: 'first' })
  const first = server.app.log.durableIndex
  const time = formatTime(server.clock.now())
  const momentAt = async (more: string): Promise<unknown> =>
    JSON.parse((await server.send('GET', `/v1/event/moment${more}`)).text)
  server.advance(60_000)
  await server.send('PUT', '/v1/kv/k', { body: 'second' })
  const [last, made] = JSON.parse((await server.send('GET', '/v1/history/kv/k')).text)
  const expected = { Index: first, Time: made.Time, Oldest: 1, Newest: last.Index }
  t.deepEqual(await momentAt(`?at=${time}`), expected)
  t.deepEqual(await momentAt(`?at=${first}`), expected)
  t.deepEqual(await momentAt(''), { ...expected, Index: last.Index, Time: last.Time })
  const then = await server.send('GET', `/v1/kv/k?raw&at=${time}`)
  t.is(then.text, 'first')
  t.is(indexOf(then), first)
  const zoned = encodeURIComponent(time.replace('Z', '+00:00'))
  t.is((await server.send('GET', `/v1/kv/k?raw&at=${zoned}`)).text, 'first')
  t.is((await server.send('GET', `/v1/kv/k?raw&at=${formatTime(server.clock.now())}`)).text, 'second')
})

test('rights are those of now, and secrets go with their tokens', async t => {
  const server = await serverInProcess(t)
  const ID = await createPolicy(server, 'reads', 'key_prefix "" { policy = "read" } acl = "read"')
  const reader = await createToken(server, { Policies: [{ ID }] })
  const gone = await createToken(server, { Description: 'gone' })
  await server.send('PUT', '/v1/kv/k', { body: '1' })
  const index = server.app.log.durableIndex
  await server.send('DELETE', `/v1/acl/token/${gone.AccessorID}`)
  const token = reader.SecretID
  t.is((await server.send('GET', `/v1/kv/k?raw&at=${index}`, { token })).text, '1')
  const seen = await server.send('GET', `/v1/acl/tokens?at=${index}`, { token })
  t.false(seen.text.includes(gone.SecretID) || seen.text.includes(reader.SecretID))
  for (const path of ['/v1/acl/tokens', `/v1/acl/token/${gone.AccessorID}`]) {
    const { status, text } = await server.send('GET', `${path}?at=${index}`)
    t.is(status, 200)
    t.true(text.includes(gone.AccessorID), path)
    t.false(text.includes(gone.SecretID), path)
  }
  const own = await server.send('GET', `/v1/acl/token/${reader.AccessorID}?at=${index}`)
  t.true(own.text.includes(reader.SecretID))
  await server.send('PUT', `/v1/acl/policy/${ID}`, { body: { Name: 'reads', Rules: '' } })
  for (const path of ['/v1/kv/k', '/v1/acl/tokens']) {
    const denied = await server.send('GET', `${path}?at=${index}`, { token })
    t.is(denied.status, 403, path)
    t.regex(denied.text, /lacks permission/)
  }
  const other = await secretWith(server, 'other', 'key "k" { policy = "read" }')
  t.is((await server.send('GET', `/v1/kv/k?raw&at=${index}`, { token: other })).text, '1')
})

test('what has no meaning is refused, and never passed over', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/kv/k', { body: '1' })
  const head = server.app.log.durableIndex
  const cases: readonly (readonly [string, RegExp])[] = [
    ['/v1/kv/k?at=', /at/],
    ['/v1/kv/k?at=yesterday', /neither an index nor a time/],
    ['/v1/kv/k?at=-1', /negative/],
    ['/v1/kv/k?at=0', /before the first commit/],
    ['/v1/kv/k?at=2001-01-01T00:00:00Z', /before the first commit/],
    [`/v1/kv/k?at=${head + 1}`, /newer than the log/],
    ['/v1/kv/k?at=2999-01-01T00:00:00Z', /newer than the log/],
    [`/v1/kv/k?at=${head}&index=1`, /index/],
    [`/v1/kv/k?at=${head}&wait=1s`, /wait/],
    [`/v1/kv/k?at=${head}&diff=1..2`, /both/],
    [`/v1/catalog/services?at=${head}&cached`, /cached/],
    ['/v1/kv/k?diff=1', /two indexes/],
    ['/v1/kv/k?diff=1..2..3', /two indexes/],
    [`/v1/kv/k?raw&diff=1..${head}`, /no JSON/],
    ...[
      '/v1/agent/self',
      '/v1/agent/services',
      '/v1/agent/health/service/name/web',
      '/v1/agent/metrics',
      '/v1/status/leader',
      '/v1/event/list',
      '/v1/event/stream',
      '/v1/acl/replication',
      '/v1/snapshot'
    ].map(path => [`${path}?at=${head}`, /at/] as const)
  ]
  for (const [path, text] of cases) {
    const answer = await server.send('GET', path)
    t.is(answer.status, 400, `${path}: ${answer.text}`)
    t.regex(answer.text, text, path)
  }
  t.is((await server.send('PUT', `/v1/kv/k?at=${head}`, { body: '2' })).status, 400)
})

test('what was erased is gone, and stays so for what needs it alone', async t => {
  const server = await serverInProcess(t)
  const written = async (path: string, body: string): Promise<number> =>
    indexOf(await server.send('PUT', path, { body }))
  const first = await written('/v1/kv/a/x', 'to be erased')
  const second = await written('/v1/kv/a/x', 'kept')
  const other = await written('/v1/kv/a/y', 'other')
  await server.app.log.erase([{ index: first, who: true, events: [0] }])
  for (const path of ['/v1/kv/a/x', '/v1/kv/a/?recurse', '/v1/kv/?keys']) {
    const gone = await server.send('GET', asked(path, `at=${first}`))
    t.is(gone.status, 410, path)
    t.is(gone.text, `What commit ${first} made of KV "a/x" was erased`)
    t.is((await server.send('GET', asked(path, `at=${second}`))).status, 200, path)
    t.is((await server.send('GET', asked(path, `at=${other}`))).status, 200, path)
    t.is((await server.send('GET', asked(path, `diff=${first}..${other}`))).status, 410, path)
  }
  const [newest, oldest] = JSON.parse((await server.send('GET', '/v1/history/kv/a/x?payload=true')).text)
  t.deepEqual(newest.Patch, [{ op: 'add', path: '', value: newest.Payload }])
  t.deepEqual(Object.keys(oldest), ['Index', 'Time', 'Type', 'By', 'Erased'])
  t.deepEqual([oldest.Index, oldest.By, oldest.Erased], [first, { Erased: true }, true])
})
