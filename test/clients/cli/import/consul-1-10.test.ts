// `annals import consul` from a server that answers as Consul 1.10.11 does.
import test, { type ExecutionContext } from 'ava'
import { annals, type CommandExit } from '../../../support/command-line.js'
import { authMethod } from '../../../support/consul-responses.js'
import { consulServer, Failing, type ConsulServer } from '../../../support/consul-server.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { reportOf } from './support.js'

/** Kinds that later versions have. */
const LATER_KINDS = [
  'jwt-provider',
  'sameness-group',
  'exported-services',
  'control-plane-request-limit',
  'inline-certificate',
  'file-system-certificate',
  'api-gateway',
  'http-route',
  'tcp-route'
]
const indexes = { CreateIndex: 12, ModifyIndex: 14 }
const id = (count: number): string => `00000005-0000-4000-8000-${String(count).padStart(12, '0')}`

const exceptions = (ended: CommandExit): readonly string[] =>
  reportOf(ended).Exceptions.map(({ Kind, Name, Why }) => `${Kind} ${Name}: ${Why}`)

type Answers = Readonly<Record<string, unknown>>

/** Imports from such a server as often as is asked for. */
const importing = async (t: ExecutionContext, answers: Answers, more: Partial<ConsulServer> = {}) => {
  const server = await serverInProcess(t)
  const addr = await consulServer(t, {
    answers: new Map(Object.entries(answers)),
    unknownKinds: LATER_KINDS,
    ...more
  })
  const run = (...args: readonly string[]): Promise<CommandExit> =>
    annals(['import', 'consul', `--addr=${addr}`, '--json', ...args], {
      ANNALS_HTTP_ADDR: server.base,
      ANNALS_HTTP_TOKEN: ROOT
    })
  return { server, run }
}

const read = async (server: TestServer, path: string): Promise<unknown> =>
  JSON.parse((await server.send('GET', path)).text)

const key = (Key: string, Value: string): object => ({ LockIndex: 0, Key, Flags: 3, Value, ...indexes })
const defaults = [{ Kind: 'service-defaults', Name: 'web', Protocol: 'http', ...indexes }]

test('config entry kinds that the source does not know are skipped', async t => {
  const { server, run } = await importing(t, { '/v1/config/service-defaults': defaults })
  const ended = await run()
  t.is(ended.code, 0, ended.errors + ended.output)
  t.deepEqual(exceptions(ended), [])
  t.like(await read(server, '/v1/config/service-defaults/web'), { Protocol: 'http' })
})

test('what the source fails to show is reported, and the other resources are imported', async t => {
  const { server, run } = await importing(t, {
    '/v1/config/service-defaults': defaults,
    '/v1/config/service-router': new Failing('rpc error: No cluster leader'),
    '/v1/acl/policies': [
      { ID: id(1), Name: 'good' },
      { ID: id(2), Name: 'bad' }
    ],
    [`/v1/acl/policy/${id(1)}`]: { ID: id(1), Name: 'good', Rules: '' },
    [`/v1/acl/policy/${id(2)}`]: new Failing('policy is broken'),
    '/v1/query': new Failing('queries are broken'),
    '/v1/kv/': [key('a', 'MQ==')]
  })
  const ended = await run()
  t.is(ended.code, 1)
  t.deepEqual(exceptions(ended), [
    'policy bad: cannot be read: policy is broken',
    'config-entry service-router/*: cannot be read: rpc error: No cluster leader',
    'query *: cannot be read: queries are broken'
  ])
  t.is((await server.send('GET', '/v1/kv/a?raw')).text, '1')
  t.like(await read(server, '/v1/config/service-defaults/web'), { Protocol: 'http' })
  t.is((await server.send('GET', '/v1/acl/policy/name/good')).status, 200)
})

test('the report is printed when a server becomes unreachable', async t => {
  const { run } = await importing(t, {}, { lacking: ['query:read'] })
  const ended = await run('--only=query', '--http-addr=127.0.0.1:9')
  t.is(ended.code, 2)
  t.regex(ended.errors, /127\.0\.0\.1:9 cannot be reached/)
  t.regex(exceptions(ended).join(), /^query \*: the token of the source lacks query:read/)
})

test('fractions in configuration entries are imported', async t => {
  const splitter = {
    Kind: 'service-splitter',
    Name: 'web',
    Splits: [
      { Weight: 90.5, Service: 'web' },
      { Weight: 9.5, Service: 'next' }
    ]
  }
  const { server, run } = await importing(t, {
    '/v1/config/service-defaults': [...defaults, { ...defaults[0], Name: 'next' }],
    '/v1/config/service-splitter': [{ ...splitter, ...indexes }]
  })
  const ended = await run()
  t.is(ended.code, 0, ended.errors + ended.output)
  t.like(await read(server, '/v1/config/service-splitter/web'), splitter)
  t.is(reportOf(await run()).Exceptions.length, 0)
})

const tokenRow = (count: number, more: object = {}): object => ({
  AccessorID: id(count),
  Description: '',
  Policies: [],
  Local: false,
  CreateTime: '2026-01-02T03:04:05Z',
  ...indexes,
  ...more
})

test('legacy tokens with rules are not imported, and reported', async t => {
  const whole = (count: number, more: object = {}): object => ({
    ...tokenRow(count, more),
    SecretID: id(count + 100)
  })
  const { server, run } = await importing(t, {
    '/v1/acl/tokens': [tokenRow(1), tokenRow(2, { Legacy: true })],
    [`/v1/acl/token/${id(1)}`]: whole(1),
    [`/v1/acl/token/${id(2)}`]: whole(2, { Legacy: true, Rules: 'key "" { policy = "read" }' })
  })
  const ended = await run()
  t.is(ended.code, 1)
  t.deepEqual(exceptions(ended), [
    `token ${id(2)}: it has rules of the legacy form of its own: make a policy of them`
  ])
  t.is((await server.send('GET', `/v1/acl/token/${id(1)}`)).status, 200)
  t.is((await server.send('GET', `/v1/acl/token/${id(2)}`)).status, 403)
})

test('a source token without key:read fails the import by name', async t => {
  const { run } = await importing(t, {}, { lacking: ['key:read', 'key:write-prefix', 'query:read'] })
  for (const args of [[], ['--dry-run']]) {
    const ended = await run(...args)
    t.is(ended.code, 1)
    t.deepEqual(exceptions(ended), [
      'query *: the token of the source lacks query:read: what it may not read is missing',
      'key *: the token of the source lacks key:read: what it may not read is missing'
    ])
  }
})

test('keys that a narrower rule may hide fail the import', async t => {
  const { run } = await importing(t, { '/v1/kv/': [key('a', 'MQ==')] }, { lacking: ['key:write-prefix'] })
  const ended = await run()
  t.is(ended.code, 1)
  t.regex(
    exceptions(ended).join(),
    /^key \*: the token of the source lacks key:write-prefix, so a narrower rule/
  )
})

test('a list that the source marks as filtered fails the import', async t => {
  const { run } = await importing(t, { '/v1/query': [] }, { filtered: ['/v1/query'] })
  const ended = await run()
  t.is(ended.code, 1)
  t.deepEqual(exceptions(ended), ['query *: the source hides some that its token may not read'])
})

test('values of 512 KiB are imported', async t => {
  const [large, small] = [Buffer.alloc(512 * 1024, 'x'), Buffer.alloc(8 * 1024, 'y')]
  const many = Array.from({ length: 100 }, (_, count) => key(`small/${count}`, small.toString('base64')))
  const { server, run } = await importing(t, {
    '/v1/kv/': [key('größe/ 1', large.toString('base64')), key('empty', ''), ...many]
  })
  const ended = await run()
  t.is(ended.code, 0, ended.errors + ended.output)
  t.like(reportOf(ended).Kinds, { 0: { Kind: 'key', Written: 102 } })
  const path = `/v1/kv/${encodeURIComponent('größe/ 1')}`
  t.is((await server.send('GET', `${path}?raw`)).text, large.toString())
  t.like(await read(server, path), { 0: { Flags: 3 } })
  t.like(reportOf(await run()).Kinds, { 0: { Kind: 'key', Same: 102 } })
})

test('keys of any name are imported, alone or in a transaction', async t => {
  const names = [
    '.',
    '..',
    '/',
    '/a',
    'a//b',
    'a/../b',
    'a%2Fb',
    '%2e%2e',
    'x?y#z',
    'a b+c',
    'ü/😀',
    'dir/',
    'a:b;c=d&e'
  ]
  // So large that no two of them fit into a transaction.
  for (const size of [300 * 1024, 1]) {
    const Value = Buffer.alloc(size, 'v').toString('base64')
    const { server, run } = await importing(t, { '/v1/kv/': names.map(name => key(name, Value)) })
    const ended = await run()
    t.is(ended.code, 0, ended.errors + ended.output)
    const found = await read(server, '/v1/kv/?keys')
    const all: readonly string[] = Array.isArray(found) ? found : []
    t.is(all.length, names.length)
    for (const name of names) t.true(all.includes(name), name)
    t.like(reportOf(await run()).Kinds, { 0: { Kind: 'key', Same: names.length } })
  }
})

test('a source without ACLs has no policies and tokens, and hides nothing', async t => {
  const disabled = new Failing('ACL support disabled', 401)
  const paths = ['policies', 'roles', 'tokens', 'auth-methods', 'binding-rules'].map(
    name => `/v1/acl/${name}`
  )
  const { run } = await importing(t, {
    ...Object.fromEntries([...paths, '/v1/internal/acl/authorize'].map(path => [path, disabled])),
    '/v1/kv/': [key('a', 'MQ==')]
  })
  const ended = await run()
  t.is(ended.code, 0, ended.errors + ended.output)
  t.like(reportOf(ended).Kinds, { length: 1, 0: { Kind: 'key', Written: 1 } })
})

test('nodes of agents are left with their services and checks', async t => {
  const node = (Node: string, count: number): object => ({ ID: id(count), Node, Address: `192.0.2.${count}` })
  const check = (Node: string, CheckID: string): object => ({
    Node,
    CheckID,
    Name: CheckID,
    Status: 'passing',
    ServiceID: '',
    ...indexes
  })
  const { server, run } = await importing(t, {
    '/v1/catalog/nodes': [node('agent', 1), node('external', 2)],
    '/v1/catalog/node/agent': { Node: node('agent', 1), Services: { web: { ID: 'web', Service: 'web' } } },
    '/v1/catalog/node/external': { Node: node('external', 2), Services: { db: { ID: 'db', Service: 'db' } } },
    '/v1/health/node/agent': [check('agent', 'serfHealth'), check('agent', 'disk')],
    '/v1/health/node/external': [check('external', 'ping')]
  })
  const ended = await run('--only=node')
  t.deepEqual(exceptions(ended), ['node agent: an agent registers it, and does so at the new server'])
  t.is((await server.send('GET', '/v1/catalog/node/agent')).text.trim(), 'null')
  t.like(await read(server, '/v1/catalog/service/db'), { 0: { Node: 'external' } })
  t.deepEqual(await read(server, '/v1/catalog/service/web'), [])
})

test('binding rules that differ in one field only are both imported', async t => {
  const rule = (count: number, Description: string): object => ({
    ID: id(count),
    Description,
    AuthMethod: 'ci',
    Selector: '',
    BindType: 'service',
    BindName: 'web',
    ...indexes
  })
  const { server, run } = await importing(t, {
    '/v1/acl/auth-methods': [authMethod],
    '/v1/acl/auth-method/ci': authMethod,
    '/v1/acl/binding-rules': [rule(1, 'one'), rule(2, 'two'), rule(3, '')]
  })
  const ended = await run('--only=auth-method', '--only=binding-rule')
  t.is(ended.code, 0, ended.errors + ended.output)
  const rules = await read(server, '/v1/acl/binding-rules')
  const descriptions = Array.isArray(rules) ? rules.map((one: object) => Reflect.get(one, 'Description')) : []
  t.is(descriptions.length, 3)
  for (const description of ['', 'one', 'two']) t.true(descriptions.includes(description), description)
  t.like(reportOf(await run('--only=binding-rule')).Kinds, { 0: { Written: 0, Same: 3 } })
})

test('intentions keep their Meta', async t => {
  const source = (Name: string, Action: string): object => ({ Name, Action, Precedence: 9, Type: 'consul' })
  const party = (SourceName: string, count: number, Action: string, Meta: object): object => ({
    ID: id(count),
    SourceNS: 'default',
    SourceName,
    DestinationNS: 'default',
    DestinationName: 'web',
    SourceType: 'consul',
    Action,
    Meta,
    Precedence: 9,
    ...indexes
  })
  const { server, run } = await importing(t, {
    '/v1/config/service-intentions': [
      {
        Kind: 'service-intentions',
        Name: 'web',
        Sources: [source('api', 'allow'), source('db', 'deny')],
        ...indexes
      },
      { Kind: 'service-intentions', Name: 'next', Sources: [source('api', 'deny')], ...indexes }
    ],
    '/v1/connect/intentions': [
      party('api', 1, 'allow', { owner: 'team-a' }),
      party('db', 2, 'deny', {}),
      { ...party('api', 3, 'deny', {}), ID: undefined, DestinationName: 'next' }
    ]
  })
  const ended = await run()
  t.is(ended.code, 0, ended.errors + ended.output)
  t.like(await read(server, '/v1/connect/intentions'), {
    length: 3,
    1: { SourceName: 'api', DestinationName: 'web', Action: 'allow', Meta: { owner: 'team-a' } },
    2: { SourceName: 'db', DestinationName: 'web', Action: 'deny' }
  })
  t.like(reportOf(await run()).Kinds, { 0: { Kind: 'config-entry', Written: 0, Same: 2 } })
  await server.send('DELETE', '/v1/connect/intentions/exact?source=db&destination=web')
  t.is((await run('--overwrite')).code, 0)
  t.like(await read(server, '/v1/connect/intentions/exact?source=api&destination=web'), {
    Meta: { owner: 'team-a' }
  })
  t.is((await server.send('GET', '/v1/connect/intentions/exact?source=db&destination=web')).status, 200)
})
