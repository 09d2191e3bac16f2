// Limits on the number of connections.
import { networkInterfaces } from 'node:os'
import { connect } from 'node:net'
import { once } from 'node:events'
import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { Wire } from '../../../support/raw-connection.js'

/** Returns an address of this machine other than loopback. */
const outer = Object.values(networkInterfaces())
  .flat()
  .find(face => face && !face.internal && face.family === 'IPv4')?.address

test('connections over the limit are 503 with a text, and those within it continue', async t => {
  const server = await serverInProcess(t, { config: { limits: { http_max_conns: 1 } } })
  const first = await Wire.open(t, server)
  const second = await Wire.open(t, server)
  t.regex(
    await second.read(/the limit is 1 \(limits\.http_max_conns\)$/),
    /^HTTP\/1\.1 503 .*X-Service-Error-Code: request\.connections-exhausted\r\n/s
  )
  await second.closed()
  first.request('GET /v1/status/leader', [])
  t.regex(await first.read(/"127\.0\.0\.1:\d+"/), /^HTTP\/1\.1 200 /)
})

test('connections of one address have a limit, but for those of this machine', async t => {
  const limits = { http_max_conns_per_client: 1 }
  const server = await serverInProcess(t, { config: { bind: '0.0.0.0', limits } })
  for (let i = 0; i < 3; i++) {
    const wire = await Wire.open(t, server)
    wire.request('GET /v1/status/leader', [])
    t.regex(await wire.read(/"[\d.]+:\d+"/), /^HTTP\/1\.1 200 /)
  }
  if (outer === undefined) return
  const open = async (): Promise<Wire> => {
    const socket = connect({ port: server.port, host: outer, localAddress: outer })
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    return new Wire(socket)
  }
  const first = await open()
  first.request('GET /v1/status/leader', [])
  t.regex(await first.read(/"[\d.]+:\d+"/), /^HTTP\/1\.1 200 /)
  const second = await open()
  t.regex(
    await second.read(/limits\.http_max_conns_per_client\)$/),
    /^HTTP\/1\.1 429 .*X-Service-Error-Code: request\.too-many-connections\r\n/s
  )
})
