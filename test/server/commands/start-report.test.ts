// What a server tells when it has started.
import { join } from 'node:path'
import test from 'ava'
import { ANONYMOUS_ACCESSOR } from '../../../events/token.js'
import { DNS_RULES, silentDns, startFields } from '../../../server/commands/run-server.js'
import { programVersion } from '../../../events/version.js'
import { ask } from '../../support/dns.js'
import { temporaryFolder } from '../../support/process.js'
import { serverInProcess, type TestServer, type TestServerOptions } from '../../support/server.js'
import { createPolicy } from '../../http/support.js'

const DNS = { ports: { http: 0, dns: 0 } }
const OPEN = { acl: { enabled: true, default_policy: 'deny' } }

const portsOf = ({ port, httpsPort, dnsPort }: TestServer) => ({ port, httpsPort, dnsPort })
const reportOf = (server: TestServer) => startFields(server.scope, portsOf(server))
const warned = (server: TestServer) => silentDns(server.scope, portsOf(server))

test('the first start tells where the server is, what protects it, and how to bootstrap', async t => {
  const server = await serverInProcess(t, { config: { ...OPEN, ...DNS } })
  t.deepEqual(reportOf(server), {
    http: server.base,
    https: 'off',
    dns: `127.0.0.1:${server.dnsPort}`,
    data_dir: server.settings.data_dir,
    index: server.app.views.index,
    version: programVersion(),
    node: process.version,
    acls: 'deny by default, bootstrap is open',
    at_rest: 'not encrypted',
    next: `curl -X PUT ${server.base}/v1/acl/bootstrap`
  })
  const { status } = await server.send('PUT', '/v1/acl/bootstrap', { token: undefined })
  t.is(status, 200)
  t.like(reportOf(server), { acls: 'deny by default', next: `curl ${server.base}/readyz` })
})

test('disabled listeners are reported, and an IPv6 address is formatted for URLs', async t => {
  const off: TestServerOptions = { config: { acl: { enabled: false } } }
  t.like(reportOf(await serverInProcess(t, off)), { acls: 'off', dns: 'off' })
  const key = Buffer.alloc(32, 7).toString('base64')
  const server = await serverInProcess(t, { config: { encryption: { key }, bind: '::1' } })
  t.like(reportOf(server), { at_rest: 'secrets are encrypted', http: `http://[::1]:${server.port}` })
})

test('a server at a Unix socket names it, and how curl reaches it', async t => {
  const path = join(temporaryFolder(t), 'http.sock')
  const at = (http: string): TestServerOptions => ({ config: { addresses: { http } } })
  t.like(reportOf(await serverInProcess(t, at(`unix://${path}`))), {
    http: `unix://${path}`,
    next: `curl --unix-socket ${path} http://localhost/readyz`
  })
  const server = await serverInProcess(t, at(`127.0.0.1 unix://${path}2`))
  const { base } = server
  t.like(reportOf(server), { http: `${base} unix://${path}2`, next: `curl ${base}/readyz` })
})

test('a server whose DNS may tell nothing warns of it, and the rules that it names help', async t => {
  const server = await serverInProcess(t, { config: DNS })
  await server.send('PUT', '/v1/agent/service/register', { body: { Name: 'web', Address: '192.0.2.1' } })
  const question = () => ask(server.dnsPort ?? 0, 'web.service.consul', 'A')
  t.is((await question()).rcode, 'NXDOMAIN')
  const warning = warned(server) ?? ''
  t.true(warning.includes(DNS_RULES))
  t.true(warning.includes(ANONYMOUS_ACCESSOR))

  const ID = await createPolicy(server, 'dns', DNS_RULES)
  const body = { Policies: [{ ID }] }
  t.is((await server.send('PUT', `/v1/acl/token/${ANONYMOUS_ACCESSOR}`, { body })).status, 200)
  t.is((await question()).rcode, 'NOERROR')
  t.is(warned(server), undefined)
})

test('no server warns of DNS that is off, or may tell all', async t => {
  t.is(warned(await serverInProcess(t)), undefined)
  for (const acl of [{ enabled: false }, { enabled: true, default_policy: 'allow' }])
    t.is(warned(await serverInProcess(t, { config: { acl, ...DNS } })), undefined)
})
