// Checks that ask by the health protocol of gRPC.
import {
  Server,
  ServerCredentials,
  status as Code,
  type sendUnaryData,
  type ServerUnaryCall
} from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { pem } from '../../../support/stub-provider.js'
import { until } from '../../../support/wait.js'
import { SERVER_FILES, tlsFile } from '../../wire/tls/support.js'

const SERVING = 1
const NOT_SERVING = 2
/** Twice what the server takes. */
const LARGE = 128 * 1024
const bytes = (value: Buffer): Buffer => value

/** A server of the health protocol: every service serves, but `broken`, `forbidden`, and `large`, which has a large answer. It ends with the test. */
const healthServer = async (t: ExecutionContext, credentials: ServerCredentials): Promise<number> => {
  const server = new Server()
  const check = (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): void => {
    // Field 1 of the request is a text; field 1 of the answer is a number.
    const service = call.request.subarray(2).toString()
    if (service === 'forbidden') return answer({ code: Code.PERMISSION_DENIED, details: 'not for you' })
    const serving = Buffer.from([0x08, service === 'broken' ? NOT_SERVING : SERVING])
    answer(null, service === 'large' ? Buffer.alloc(LARGE, serving) : serving)
  }
  server.addService(
    {
      check: {
        path: '/grpc.health.v1.Health/Check',
        requestStream: false,
        responseStream: false,
        requestSerialize: bytes,
        requestDeserialize: bytes,
        responseSerialize: bytes,
        responseDeserialize: bytes
      }
    },
    { check }
  )
  t.teardown(() => server.forceShutdown())
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, port) => (error ? reject(error) : resolve(port)))
  )
}

const becomes = async (
  t: ExecutionContext,
  server: TestServer,
  body: { readonly Name: string; readonly [field: string]: unknown },
  status: string
): Promise<string> => {
  const made = await server.send('PUT', '/v1/agent/check/register', { body: { Interval: '1h', ...body } })
  t.is(made.status, 200, made.text)
  let output = ''
  await until(`${body.Name} is reported`, async () => {
    const check = JSON.parse((await server.send('GET', '/v1/agent/checks')).text)[body.Name]
    output = check.Output
    return output !== '' && check.Status === status
  })
  return output
}

test('a server is asked for its health, and for that of one of its services', async t => {
  const GRPC = `127.0.0.1:${await healthServer(t, ServerCredentials.createInsecure())}`
  const server = await serverInProcess(t)
  t.is(await becomes(t, server, { Name: 'whole', GRPC }, 'passing'), `gRPC check ${GRPC}: success`)
  await becomes(t, server, { Name: 'good', GRPC: `${GRPC}/good` }, 'passing')
  t.regex(await becomes(t, server, { Name: 'bad', GRPC: `${GRPC}/broken` }, 'critical'), /NOT_SERVING/)
  const forbidden = await becomes(t, server, { Name: 'forbidden', GRPC: `${GRPC}/forbidden` }, 'critical')
  t.is(forbidden, '7 PERMISSION_DENIED: not for you')
  const large = await becomes(t, server, { Name: 'large', GRPC: `${GRPC}/large` }, 'critical')
  t.is(large, '8 RESOURCE_EXHAUSTED: the answer has more than 65536 bytes')
  t.regex(await becomes(t, server, { Name: 'gone', GRPC: '127.0.0.1:1' }, 'critical'), /UNAVAILABLE/)
  const { Type } = JSON.parse((await server.send('GET', '/v1/agent/checks')).text).whole
  t.is(Type, 'grpc')
})

test('over TLS a certificate is verified, unless the check says not to', async t => {
  const pair = { private_key: Buffer.from(pem('server-key.pem')), cert_chain: Buffer.from(pem('server.pem')) }
  const GRPC = `localhost:${await healthServer(t, ServerCredentials.createSsl(null, [pair]))}`
  const server = await serverInProcess(t)
  const tls = { GRPC, GRPCUseTLS: true }
  await becomes(t, server, { Name: 'skips', ...tls, TLSSkipVerify: true }, 'passing')
  t.regex(await becomes(t, server, { Name: 'verifies', ...tls }, 'critical'), /certificate/)
})

test('checks over TLS believe the configured CA, and show the configured certificate', async t => {
  const pair = { private_key: Buffer.from(pem('server-key.pem')), cert_chain: Buffer.from(pem('server.pem')) }
  const demanding = ServerCredentials.createSsl(Buffer.from(pem('ca.pem')), [pair], true)
  const GRPC = `localhost:${await healthServer(t, demanding)}`
  const outgoing = { ca_file: tlsFile('ca.pem') }
  const [known, unknown] = await Promise.all([
    serverInProcess(t, { config: { tls: { outgoing: { ...outgoing, ...SERVER_FILES } } } }),
    serverInProcess(t, { config: { tls: { outgoing } } })
  ])
  await becomes(t, known, { Name: 'known', GRPC, GRPCUseTLS: true }, 'passing')
  await becomes(t, unknown, { Name: 'unknown', GRPC, GRPCUseTLS: true }, 'critical')
})

test('what is no target of gRPC is refused', async t => {
  const server = await serverInProcess(t)
  for (const GRPC of ['nowhere', 'unix:/tmp/socket', 'a:b', 'http://a:1']) {
    const body = { Name: 'x', GRPC, Interval: '1s' }
    const { status, text } = await server.send('PUT', '/v1/agent/check/register', { body })
    t.deepEqual([status, text.includes('field "GRPC" is not host:port')], [400, true], GRPC)
  }
  const { text } = await server.send('PUT', '/v1/agent/check/register', { body: { Name: 'x', GRPC: 'a:1' } })
  t.regex(text, /Interval must be > 0/)
})
