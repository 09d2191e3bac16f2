// How a server is reached other than over plain TCP.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'ava'
import { annals } from '../../support/command-line.js'
import { temporaryFolder } from '../../support/process.js'
import { ROOT, serverInProcess } from '../../support/server.js'
import { SERVER_FILES, tlsFile, tlsServer } from '../../http/wire/tls/support.js'

test('over TLS, with the authority, the server name and the certificate that flags and variables name', async t => {
  const server = await tlsServer(t, { ...SERVER_FILES, ca_file: tlsFile('ca.pem'), verify_incoming: true })
  const env = {
    CONSUL_HTTP_ADDR: `127.0.0.1:${server.httpsPort}`,
    CONSUL_HTTP_SSL: 'true',
    ANNALS_HTTP_TOKEN: ROOT,
    ANNALS_CLIENT_CERT: SERVER_FILES.cert_file,
    ANNALS_CLIENT_KEY: SERVER_FILES.key_file
  }
  const trusting = { ...env, ANNALS_CACERT: tlsFile('ca.pem') }
  const put = await annals(['kv', 'put', 'a', '1'], trusting)
  t.is(put.code, 0, put.errors)
  t.is((await annals(['kv', 'get', 'a', '-ca-file', tlsFile('ca.pem')], env)).output, '1\n')
  t.is((await annals(['kv', 'get', 'a'], { ...env, CONSUL_HTTP_SSL_VERIFY: 'false' })).output, '1\n')
  const unknown = await annals(['kv', 'get', 'a'], { ...env, ANNALS_CACERT: tlsFile('other-ca.pem') })
  t.is(unknown.code, 2)
  const misnamed = await annals(['kv', 'get', 'a', '-tls-server-name', 'other.example'], trusting)
  t.is(misnamed.code, 2)
  t.regex(misnamed.errors, /other\.example/)
  const { ANNALS_CLIENT_CERT: _, ANNALS_CLIENT_KEY: __, ...unnamed } = trusting
  t.is((await annals(['kv', 'get', 'a'], unnamed)).code, 2)
})

test('a server that listens at a Unix socket is reached by ANNALS_HTTP_ADDR', async t => {
  const path = join(temporaryFolder(t), 'http.sock')
  await serverInProcess(t, { config: { addresses: { http: `unix://${path}` }, acl: { enabled: false } } })
  const env = { ANNALS_HTTP_ADDR: `unix://${path}` }
  t.is((await annals(['kv', 'put', 'a', '1'], env)).code, 0)
  t.is((await annals(['kv', 'get', 'a'], env)).output, '1\n')
})

test('over a Unix socket', async t => {
  const path = join(temporaryFolder(t), 'socket')
  const server = createServer((request, response) => response.end(JSON.stringify([request.url])))
  t.teardown(() => void server.close())
  await once(server.listen(path), 'listening')
  const { code, output } = await annals(['kv', 'list', '-http-addr', `unix://${path}`, '-dc=dc2'])
  t.is(code, 0)
  t.regex(output, /^\/v1\/kv\/\?dc=dc2&keys=true/)
})
