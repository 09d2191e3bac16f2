import { readFileSync, writeFileSync } from 'node:fs'
import { X509Certificate } from 'node:crypto'
import test from 'ava'
import { selfSigned } from '../../../support/certificate.js'
import { pem } from '../../../support/stub-provider.js'
import { until } from '../../../support/wait.js'
import { connected, copies, fingerprintAt, tlsServer } from './support.js'

const fingerprintOf = (cert: string): string => new X509Certificate(cert).fingerprint256
const OLD = fingerprintOf(pem('server.pem'))

test('a reload takes new certificates, and leaves open connections alone', async t => {
  const files = copies(t)
  const server = await tlsServer(t, files)
  const open = await connected(server.httpsPort)
  t.teardown(() => open.destroy())
  t.is(await fingerprintAt(server.httpsPort), OLD)
  const { cert, key } = await selfSigned()
  writeFileSync(files.cert_file, cert)
  writeFileSync(files.key_file, key)
  t.is((await server.send('PUT', '/v1/agent/reload')).status, 200)
  t.is(await fingerprintAt(server.httpsPort), fingerprintOf(cert))
  let text = ''
  open.on('data', data => (text += data.toString()))
  open.write('GET /v1/status/leader HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await until('an answer', () => text.includes('200 OK'))
})

test('certificates that change are taken once both files have changed', async t => {
  const files = copies(t)
  const server = await tlsServer(t, files)
  const { cert, key } = await selfSigned()
  writeFileSync(files.cert_file, cert)
  const isLogged = (text: string) => () => server.lines.some(line => line.includes(text))
  await until('half a change is logged', isLogged('certificates have changed and cannot be used'))
  t.is(await fingerprintAt(server.httpsPort), OLD)
  writeFileSync(files.key_file, key)
  await until('the change is logged', isLogged('certificates were reread'))
  t.is(await fingerprintAt(server.httpsPort), fingerprintOf(cert))
})

test('a reload with certificates that cannot be used changes nothing', async t => {
  const files = copies(t)
  const server = await tlsServer(t, files)
  const before = JSON.parse(readFileSync(server.file, 'utf8'))
  const changed = { ...before, limits: { txn_max_ops: 7 } }
  writeFileSync(
    server.file,
    JSON.stringify({ ...changed, tls: { http: { ...files, key_file: '/nowhere' } } })
  )
  await t.throwsAsync(server.app.reload.run(), { message: /tls\.http\.key_file/ })
  t.is(server.app.live.current.limits.txn_max_ops, 64)
  t.is(await fingerprintAt(server.httpsPort), OLD)
})
