// Decision 54: URL passwords, header values and bodies of checks are for callers that may change the check.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { secretWith } from '../../support.js'

const Definition = {
  HTTP: 'http://user:p4ssword@10.0.0.1/',
  Header: { 'X-Key': ['k3y-value'] },
  Body: 'b0dy-value',
  Interval: '10s'
}
const SECRETS = /p4ssword|k3y-value|b0dy-value/
const HIDDEN = {
  ...Definition,
  HTTP: 'http://user:<hidden>@10.0.0.1/',
  Header: { 'X-Key': ['<hidden>'] },
  Body: '<hidden>'
}
const ofService = { Node: 'n', CheckID: 'of-service', ServiceID: 'web', Status: 'critical', Definition }
const ofNode = { Node: 'n', CheckID: 'of-node', Status: 'passing', Definition }

const register = async (t: ExecutionContext, server: TestServer, body: object): Promise<void> => {
  const answer = await server.send('PUT', '/v1/catalog/register', { body })
  t.is(answer.status, 200, answer.text)
}

const withChecks = async (t: ExecutionContext): Promise<TestServer> => {
  const server = await serverInProcess(t)
  const Service = { Service: 'web' }
  await register(t, server, { Node: 'n', Address: '10.0.0.1', Service, Checks: [ofService, ofNode] })
  return server
}

const stored = (server: TestServer, id: string) =>
  server.app.views.catalog.check(DEFAULT_TENANCY, 'n', id)?.check.Definition

const READ = 'node_prefix "" { policy = "read" } service_prefix "" { policy = "read" }'
const PATHS = [
  '/v1/health/node/n',
  '/v1/health/checks/web',
  '/v1/health/service/web',
  '/v1/health/service/web?cached',
  '/v1/health/state/any',
  '/v1/health/state/any?ns=*',
  '/v1/health/node/n?at=100',
  '/v1/event/state?topic=Check:*&at=100'
]

test('a reader sees check definitions without URL passwords, header values and bodies', async t => {
  const server = await withChecks(t)
  const { headers } = await server.send('GET', '/v1/health/node/n')
  const at = String(headers['x-service-index'])
  const reader = await secretWith(server, 'reader', READ)
  for (const path of PATHS) {
    const { status, text } = await server.send('GET', path.replace('at=100', `at=${at}`), { token: reader })
    t.is(status, 200, path)
    t.true(text.includes('<hidden>'), path)
    t.notRegex(text, SECRETS, path)
  }
  const body = ['of-service', 'of-node'].map(CheckID => ({
    Check: { Verb: 'get', Check: { Node: 'n', CheckID } }
  }))
  const read = await server.send('PUT', '/v1/txn', { token: reader, body })
  t.regex(read.text, /<hidden>.*<hidden>/)
  t.notRegex(read.text, SECRETS)
})

test('write on the service shows the secrets of its checks, and write on the node those of its own', async t => {
  const server = await withChecks(t)
  const serviceWriter = await secretWith(server, 'service', `${READ} service "web" { policy = "write" }`)
  const nodeWriter = await secretWith(server, 'node', `${READ} node "n" { policy = "write" }`)
  const shownTo = async (token: string, path: string) => {
    const { text } = await server.send('GET', path, { token })
    const found: readonly { readonly CheckID: string; readonly Definition: object }[] = JSON.parse(text)
    return Object.fromEntries(found.map(check => [check.CheckID, check.Definition]))
  }
  for (const path of ['/v1/health/node/n', '/v1/health/state/any?ns=*']) {
    const ofWriter = await shownTo(serviceWriter, path)
    t.deepEqual([ofWriter['of-service'], ofWriter['of-node']], [Definition, HIDDEN])
    const ofOther = await shownTo(nodeWriter, path)
    t.deepEqual([ofOther['of-service'], ofOther['of-node']], [HIDDEN, Definition])
  }
  const { text } = await server.send('GET', '/v1/health/service/web', { token: serviceWriter })
  const [{ Checks }]: readonly [{ readonly Checks: readonly unknown[] }] = JSON.parse(text)
  t.like(Checks, [
    { CheckID: 'of-node', Definition: HIDDEN },
    { CheckID: 'of-service', Definition }
  ])
})

test('the results of a prepared query hold no secrets of checks', async t => {
  const server = await withChecks(t)
  await register(t, server, { Node: 'n', SkipNodeUpdate: true, Check: { ...ofService, Status: 'passing' } })
  await server.send('POST', '/v1/query', { body: { Name: 'q', Service: { Service: 'web' } } })
  const { text } = await server.send('GET', '/v1/query/q/execute')
  t.true(text.includes('<hidden>'))
  t.notRegex(text, SECRETS)
})

test('a registration that sends <hidden> back keeps the stored secrets', async t => {
  const server = await withChecks(t)
  const Check = { ...ofService, Status: 'passing', Definition: { ...HIDDEN, Timeout: '1s' } }
  await register(t, server, { Node: 'n', SkipNodeUpdate: true, Check })
  t.like(stored(server, 'of-service'), { ...Definition, Timeout: '1s' })
  const set = { Verb: 'set', Check: { ...ofNode, Definition: HIDDEN } }
  t.is((await server.send('PUT', '/v1/txn', { body: [{ Check: set }] })).status, 200)
  t.like(stored(server, 'of-node'), Definition)
})

test('a registration with <hidden> is rejected where no secret is stored', async t => {
  const server = await withChecks(t)
  const rejected = async (fields: object): Promise<string> => {
    const Check = { ...ofNode, Definition: fields }
    const body = { Node: 'n', SkipNodeUpdate: true, Check }
    const { status, text } = await server.send('PUT', '/v1/catalog/register', { body })
    return `${status} ${text}`
  }
  const fault = (field: string) =>
    `400 Invalid check: field "${field}" is "<hidden>" and no value is stored for it; send the value itself`
  t.is(await rejected({ Header: { Other: ['<hidden>'] } }), fault('Header.Other'))
  t.is(await rejected({ Header: { 'X-Key': ['k', '<hidden>'] } }), fault('Header.X-Key'))
  await register(t, server, { Node: 'n', SkipNodeUpdate: true, Check: { ...ofNode, Definition: {} } })
  t.is(await rejected({ Body: '<hidden>' }), fault('Body'))
  t.is(await rejected({ HTTP: 'http://a:<hidden>@b' }), fault('HTTP'))
})

test('the output of a check that the server runs does not repeat its secrets, however the target echoes them', async t => {
  const server = await serverInProcess(t)
  const target = createServer((request, response) => {
    request.resume().on('end', () => {
      const { authorization = '', 'x-key': key = '' } = request.headers
      response.end(`${authorization} ${String(key)} b0dy-value ${'x'.repeat(4020)}k3y-value`)
    })
  })
  await new Promise<void>(resolve => target.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    target.closeAllConnections()
    target.close()
  })
  const { port }: AddressInfo = JSON.parse(JSON.stringify(target.address()))
  const body = {
    Name: 'http',
    ...Definition,
    HTTP: `http://user:p4ssword@127.0.0.1:${port}/`,
    Header: { 'X-Key': ['k3y-value'], Authorization: ['Bearer t0ken-value'] },
    Method: 'POST',
    Interval: '1h'
  }
  t.is((await server.send('PUT', '/v1/agent/check/register', { body })).status, 200)
  const shown = async () => (await server.send('GET', '/v1/agent/checks')).text
  await until('the check passes', async () => (await shown()).includes('passing'))
  const text = await shown()
  t.true(text.includes(`http://user:<hidden>@127.0.0.1:${port}/`), text)
  t.true(text.includes('<hidden> <hidden> <hidden> xxxx'))
  t.notRegex(text, /p4ss|k3y-|b0dy|t0ken/)
  t.is(
    (
      await server.send('PUT', '/v1/agent/check/register', {
        body: { ...body, Header: { 'X-Key': ['<hidden>'] } }
      })
    ).status,
    200
  )
  const { runner } = server.app.views.catalog.check(DEFAULT_TENANCY, 'server-1', 'http') ?? {}
  t.deepEqual(runner?.Header, { 'X-Key': ['k3y-value'] })
})

test('a service is not registered with the check of another service, whose secrets it would keep', async t => {
  const server = await serverInProcess(t)
  const path = '/v1/agent/service/register'
  const Header = { 'X-Key': ['k3y-value'] }
  const Check = { CheckID: 'hc', HTTP: 'http://127.0.0.1:1/', Interval: '1h', Header }
  t.is((await server.send('PUT', path, { body: { Name: 'web', Check } })).status, 200)
  const nodeCheck = { Name: 'of-node', HTTP: 'http://127.0.0.1:1/', Interval: '1h', Header }
  t.is((await server.send('PUT', '/v1/agent/check/register', { body: nodeCheck })).status, 200)
  const token = await secretWith(server, 'other', 'service "other" { policy = "write" }')
  for (const CheckID of ['hc', 'HC', 'of-node']) {
    const taken = { ...Check, CheckID, Header: { 'X-Key': ['<hidden>'] } }
    const { status, text } = await server.send('PUT', path, { token, body: { Name: 'other', Check: taken } })
    t.is(status, 403, text)
    const body = { Name: CheckID, ...taken, CheckID: undefined, ServiceID: 'other' }
    t.is((await server.send('PUT', '/v1/agent/check/register', { token, body })).status, 403)
  }
  t.is((await server.send('PUT', path, { token, body: { Name: 'other', Check: { TTL: '1h' } } })).status, 200)
})
