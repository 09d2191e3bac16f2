import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import type { Steps } from '../../../../projections/steps.js'
import { Chunks } from '../../../../http/wire/cooperative-chunks.js'
import { ROOT, serverInProcess } from '../../../support/server.js'
import { shortenChunks } from '../../../support/short-chunks.js'
import { until } from '../../../support/wait.js'

const KEYS = 2000
const OPERATIONS = 64
const PAUSES = 10
const PAUSE_MS = 10

test('a list ends when its client disconnects', async t => {
  shortenChunks(t)
  const server = await serverInProcess(t)
  for (let at = 0; at < KEYS; at += OPERATIONS) {
    const body = Array.from({ length: OPERATIONS }, (_, i) => ({
      KV: { Verb: 'set', Key: `many/${at + i}`, Value: 'dmFsdWU=' }
    }))
    await server.send('PUT', '/v1/txn', { body })
  }
  // The list continues after this computation.
  const release = new AbortController()
  const before = function* (): Steps<void> {
    while (!release.signal.aborted) yield
  }
  const first = server.scope.resolve(Chunks).run(before())
  const { hostname, port } = new URL(server.base)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(`GET /v1/kv/many/?recurse HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Service-Token: ${ROOT}\r\n\r\n`)
  socket.destroy()
  // Of a thread that has no processor for a while, each pause counts once.
  for (let i = 0; i < PAUSES; i++) await pause(PAUSE_MS)
  release.abort()
  await first
  await until('the list has ended', async () => {
    const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
    const counts = text.split('\n').filter(line => line.startsWith('annals_http_requests_total'))
    const ofList = counts.find(line => line.includes('/v1/kv/') && line.includes('GET'))
    if (ofList?.includes('status="200"')) t.fail('the list was created to its end')
    return ofList !== undefined
  })
  t.pass()
})

test('a client that half-closes its connection gets a list that does not take long', async t => {
  const server = await serverInProcess(t)
  await server.send('PUT', '/v1/kv/many/1', { body: 'value' })
  const { hostname, port } = new URL(server.base)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  socket.end(`GET /v1/kv/many/?recurse HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Service-Token: ${ROOT}\r\n\r\n`)
  let answer = ''
  for await (const chunk of socket.setEncoding('utf8')) answer += String(chunk)
  t.regex(answer, /^HTTP\/1\.1 200 OK/)
})
