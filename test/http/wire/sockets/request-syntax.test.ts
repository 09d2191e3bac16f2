// Requests that the parser accepts although HTTP forbids them.
import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { Wire } from '../../../support/raw-connection.js'

const INVALID = [
  ['HTTP/1.1 without Host', 'GET /v1/status/leader HTTP/1.1\r\n', /must have a Host header$/],
  [
    'two Hosts',
    'GET /v1/status/leader HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n',
    /at most one Host header$/
  ],
  [
    'a request line without a version',
    'GET /v1/status/leader\r\n',
    /must end with a version, HTTP\/1\.1 or HTTP\/1\.0$/
  ]
] as const

test('an invalid request line or Host is 400 with a text and ends the connection, and HTTP/1.0 needs no Host', async t => {
  const server = await serverInProcess(t)
  for (const [what, head, text] of INVALID) {
    const invalid = await Wire.open(t, server)
    invalid.send(`${head}\r\n`)
    t.regex(await invalid.read(text), /^HTTP\/1\.1 400 /, what)
    await invalid.closed()
  }
  const wire = await Wire.open(t, server)
  wire.send('GET /v1/status/leader HTTP/1.0\r\n\r\n')
  t.regex(await wire.read(/"127\.0\.0\.1:\d+"/), /^HTTP\/1\.1 200 /)
})
