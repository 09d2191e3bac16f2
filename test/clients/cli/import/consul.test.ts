// `annals import consul`: from recorded answers, and from another server of ours.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { annals, type CommandExit } from '../../../support/command-line.js'
import { consulResponses } from '../../../support/consul-responses.js'
import { temporaryFolder } from '../../../support/process.js'
import { ROOT, serverInProcess, type TestServer } from '../../../support/server.js'
import { reportOf } from './support.js'

/** Imports into a server. */
const importInto = ({ base }: TestServer, ...args: readonly string[]): Promise<CommandExit> =>
  annals(['import', 'consul', ...args], { ANNALS_HTTP_ADDR: base, ANNALS_HTTP_TOKEN: ROOT })

const written = (ended: CommandExit): Readonly<Record<string, number>> =>
  Object.fromEntries(reportOf(ended).Kinds.map(({ Kind, Written }) => [Kind, Written]))

const read = async (server: TestServer, path: string): Promise<unknown> =>
  JSON.parse((await server.send('GET', path)).text)

test('resources of another server are written, and those that cannot be are reported with the reason', async t => {
  const [server, addr] = [await serverInProcess(t), await consulResponses(t, { secret: 'of-consul' })]
  const ended = await importInto(server, `--addr=${addr}`, '--from-token=of-consul', '--json')
  t.is(ended.code, 1, ended.errors)
  t.deepEqual(written(ended), {
    policy: 1,
    role: 1,
    'auth-method': 1,
    'binding-rule': 1,
    token: 3,
    'config-entry': 5,
    query: 1,
    key: 4
  })
  const reasons = reportOf(ended).Exceptions.map(({ Kind, Why }) => `${Kind}: ${Why}`)
  for (const reason of [
    /^role: it has TemplatedPolicies/,
    /^token: it was made by a login/,
    /^token: it has TemplatedPolicies/,
    /^token: a secret of it is not shown/,
    /^token: it has expired/,
    /^config-entry: kind sameness-group is not known here/,
    /^query: it has no name/
  ])
    t.true(
      reasons.some(each => reason.test(each)),
      `${reason.source} in ${reasons.join('; ')}`
    )
  t.is(reasons.length, 7)
  const secret = '00000003-0000-4000-8000-000000000001'
  const { status } = await server.send('PUT', '/v1/kv/web/a', { token: secret, body: '1' })
  t.is(status, 200)
  const { text } = await server.send('GET', '/v1/kv/app/0')
  t.regex(text, /"Flags":18446744073709551615/)
  t.like(await read(server, '/v1/acl/token/00000000-0000-0000-0000-000000000002'), {
    Policies: [{ Name: 'web' }]
  })
  t.like(await read(server, '/v1/config/service-resolver/a'), {
    Redirect: { Service: 'web', ServiceSubset: 'v1' }
  })
  t.like(await read(server, '/v1/acl/role/name/web'), {
    NodeIdentities: [{ NodeName: 'node-1', Datacenter: 'dc1' }]
  })
})

test('an import that is made again writes nothing, and takes up what is missing', async t => {
  const [server, addr] = [await serverInProcess(t), await consulResponses(t)]
  await importInto(server, `--addr=${addr}`)
  const { index } = server.app.views
  const again = await importInto(server, `--addr=${addr}`, '--json')
  t.deepEqual(new Set(Object.values(written(again))), new Set([0]))
  t.is(server.app.views.index, index)
  await server.send('DELETE', '/v1/kv/app/1')
  t.like(written(await importInto(server, `--addr=${addr}`, '--json')), { key: 1, token: 0 })
})

test('a dry run writes nothing and tells the same', async t => {
  const [server, addr] = [await serverInProcess(t), await consulResponses(t)]
  const { index } = server.app.views
  const dry = await importInto(server, `--addr=${addr}`, '--dry-run')
  t.is(server.app.views.index, index)
  t.regex(dry.output, /^Kind +To write +Same +Differing +Left\npolicy +1 +0 +0 +0\n/)
  t.regex(dry.output, /\nconfig-entry +5 +0 +0 +1\n/)
  t.regex(dry.output, /Not imported, token: it was made by a login.*\n {2}00000002-/)
  t.is(dry.code, 1)
})

test('what is there and says something else is left, unless it is to be written over', async t => {
  const [server, addr] = [await serverInProcess(t), await consulResponses(t)]
  await server.send('PUT', '/v1/kv/app/1', { body: 'mine' })
  const first = await importInto(server, `--addr=${addr}`, '--only=key', '--json')
  t.like(reportOf(first).Exceptions, [{ Kind: 'key', Name: 'app/1' }])
  t.is((await server.send('GET', '/v1/kv/app/1?raw')).text, 'mine')
  const second = await importInto(server, `--addr=${addr}`, '--only=key', '--overwrite', '--json')
  t.is(second.code, 0)
  t.is((await server.send('GET', '/v1/kv/app/1?raw')).text, '8080')
})

test('nodes, services and checks come when they are asked for', async t => {
  const [server, addr] = [await serverInProcess(t), await consulResponses(t)]
  const ended = await importInto(server, `--addr=${addr}`, '--only=node')
  t.is(ended.code, 0, ended.errors + ended.output)
  t.like(await read(server, '/v1/health/service/db?passing'), {
    0: { Node: { Address: '192.0.2.7', Meta: { external: 'yes' } }, Service: { ID: 'db-1', Port: 5432 } }
  })
  const again = await importInto(server, `--addr=${addr}`, '--only=node', '--json')
  t.like(reportOf(again).Kinds[0], { Written: 0, Same: 1 })
})

test('all of a server of ours comes to another one, namespaces included', async t => {
  const token = '7c2b7f5e-5a5e-4f0e-9d39-7d0c1a8f2e66'
  const acl = { enabled: true, default_policy: 'deny', tokens: { initial_management: token } }
  const [source, target] = [await serverInProcess(t, { config: { acl } }), await serverInProcess(t)]
  const put = async (path: string, body: unknown): Promise<void> => {
    const { status, text } = await source.send('PUT', path, { body, token })
    if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
  }
  await put('/v1/acl/policy', { Name: 'p', Rules: 'key_prefix "" { policy = "read" }' })
  await put('/v1/namespace', { Name: 'team', Meta: { a: 'b' }, ACLs: { PolicyDefaults: [{ Name: 'p' }] } })
  await put('/v1/acl/policy?ns=team', { Name: 'q', Rules: 'key_prefix "" { policy = "write" }' })
  await put('/v1/acl/token?ns=team', { Policies: [{ Name: 'q' }] })
  await put('/v1/kv/a?ns=team', 'x')
  await put('/v1/query', { Name: 'web', Service: { Service: 'web' } })
  await put('/v1/config', {
    Kind: 'service-intentions',
    Name: 'web',
    Sources: [{ Name: 'api', Action: 'deny' }]
  })
  const args = [`--addr=${source.base}`, `--from-token=${token}`, '--json'] as const
  const ended = await importInto(target, ...args)
  t.deepEqual(reportOf(ended).Exceptions, [])
  t.is(ended.code, 0, ended.errors)
  t.is((await target.send('GET', '/v1/kv/a?raw&ns=team')).text, 'x')
  t.like(await read(target, '/v1/namespace/team'), {
    Meta: { a: 'b' },
    ACLs: { PolicyDefaults: [{ Name: 'p' }] }
  })
  const again = await importInto(target, ...args)
  t.deepEqual(new Set(Object.values(written(again))), new Set([0]))
})

test('keys of an export come without a server', async t => {
  const server = await serverInProcess(t)
  const file = join(temporaryFolder(t), 'all.json')
  writeFileSync(file, '[{"key":"a","flags":7,"value":"MQ=="}]')
  const ended = await importInto(server, `--from-kv-export=${file}`)
  t.is(ended.code, 0, ended.errors)
  t.like(await read(server, '/v1/kv/a'), { 0: { Flags: 7, Value: 'MQ==' } })
})

test('a server that refuses or cannot be reached is reported', async t => {
  const [server, addr] = [await serverInProcess(t), await consulResponses(t, { secret: 'of-consul' })]
  const denied = await importInto(server, `--addr=${addr}`)
  t.is(denied.code, 1)
  t.regex(denied.output, /Permission denied/)
  const nowhere = await importInto(server, '--addr=127.0.0.1:9')
  t.is(nowhere.code, 2)
  t.regex(nowhere.errors, /cannot be reached/)
  t.regex((await importInto(server)).errors, /--addr says which server/)
})
