// Other DNS servers that are asked, changed while the server runs.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { ask, dnsServer } from '../../support/dns.js'
import type { Scope } from '../../support/process.js'

const RESPONSE = 0x80

/** A DNS server that answers every question with this code and nothing else. Its `ADDRESS:PORT`. */
const answering = async (t: Scope, rcode: number): Promise<string> => {
  const socket = createSocket('udp4')
  t.teardown(() => void socket.close())
  socket.on('message', (question, { port, address }) => {
    const answer = Buffer.from(question)
    answer[2] = (answer[2] ?? 0) | RESPONSE
    answer[3] = rcode
    socket.send(answer, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return `127.0.0.1:${socket.address().port}`
}

test('a reload has the new recursors asked from then on', async t => {
  const [none, empty] = [await answering(t, 3), await answering(t, 0)]
  const server = await dnsServer(t, { config: { recursors: [none] } })
  const codeOf = async (): Promise<string> => (await ask(server.dnsPort, 'example.com', 'A')).rcode
  t.is(await codeOf(), 'NXDOMAIN')
  writeFileSync(server.file, readFileSync(server.file, 'utf8').replace(none, empty))
  t.is((await server.send('PUT', '/v1/agent/reload')).status, 200)
  t.is(await codeOf(), 'NOERROR')
})
