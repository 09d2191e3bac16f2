// Readers that wait, each on a key of its own: what they cost writers, and how soon a write wakes the one concerned.
import { connect } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { send } from '../../dist/test/support/client.js'
import { alternate } from '../compare.mjs'
import { median, targetText } from '../statistics.mjs'

const READERS = 10_000
const OPENED_AT_ONCE = 200
const WAKES = 200
const LONG_WAIT = '10m'
const SHORT_WAIT = '1ms'
const LEAST_RATIO = 0.95
const MOST_WAKE_MS = 5
const WRITERS = join(import.meta.dirname, '../blocked-writers.mjs')

async function* measure({ start, client, rounds, seconds }) {
  const [before, waited, after] = [await start({}), await start({}), await start({})]
  // The others serve the same reads, to an end: V8 makes other code of what has run with requests of other kinds.
  for (const server of [before, after]) {
    const answered = await openReaders(server, SHORT_WAIT)
    await Promise.all(answered.map(reader => reader.answered))
    for (const { socket } of answered) socket.destroy()
  }
  const readers = await openReaders(waited, LONG_WAIT)
  await settled(waited)
  const load = server =>
    client.ask({
      scenario: WRITERS,
      context: { root: server.root },
      port: server.port,
      connections: 64,
      seconds
    })
  // A round with readers stands between two without, on servers of their own: what the machine does by itself in that time
  // shows as the ratio of those two.
  const results = await alternate(rounds, [
    ['before', () => load(before)],
    ['withReaders', () => load(waited)],
    ['after', () => load(after)]
  ])
  const rates = Object.fromEntries(
    Object.entries(results).map(([name, list]) => [name, list.map(({ rate }) => rate)])
  )
  const without = rates.before.map((rate, i) => (rate + rates.after[i]) / 2)
  const ratio = median(rates.withReaders.map((rate, i) => rate / without[i]))
  const control = median(rates.before.map((rate, i) => rate / rates.after[i]))
  yield `blocked-readers  ${READERS.toLocaleString('en')} readers wait; writes of other keys ${Math.round(median(rates.withReaders))}/s, without readers ${Math.round(median(without))}/s: ratio ${ratio.toFixed(2)}${targetText(ratio, LEAST_RATIO)}, of two servers without readers ${control.toFixed(2)}`
  const times = await wakes(waited, readers)
  const woken = readers.filter(({ isAnswered }) => isAnswered()).length
  yield `  woken ${woken} of ${WAKES} written; ${median(times).toFixed(2)} ms after the write was sent${targetText(median(times), MOST_WAKE_MS, false)}`
  for (const { socket } of readers) socket.destroy()
  await before.stop()
  await after.stop()
}

/** Writes keys that readers wait for, one after another; how long each reader's answer took from the sending of the write. */
async function wakes({ base, root }, readers) {
  const times = []
  for (let i = 0; i < WAKES; i++) {
    const reader = readers[(i * 37) % READERS]
    const begin = performance.now()
    const sent = send(base, 'PUT', `/v1/kv/waited/${reader.key}`, { token: root, body: `changed ${i}` })
    await reader.answered
    times.push(performance.now() - begin)
    await sent
  }
  return times
}

/** Readers, each on a key of its own that is not there. */
async function openReaders(server, time) {
  const readers = []
  const index = await seed(server)
  for (let i = 0; i < READERS; i += OPENED_AT_ONCE) {
    const opened = Array.from({ length: OPENED_AT_ONCE }, (_, j) => wait(server, i + j, index, time))
    readers.push(...(await Promise.all(opened)))
  }
  return readers
}

async function seed({ call, root, base }) {
  await call('PUT', '/v1/kv/first', 'x')
  const { headers } = await send(base, 'GET', '/v1/kv/waited/0', { token: root })
  return headers['x-service-index']
}

async function wait({ port, root }, key, index, time) {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(
    `GET /v1/kv/waited/${key}?index=${index}&wait=${time} HTTP/1.1\r\nHost: x\r\nX-Service-Token: ${root}\r\n\r\n`
  )
  let isAnswered = false
  const answered = once(socket, 'data').then(() => (isAnswered = true))
  answered.catch(() => undefined)
  return { key, socket, answered, isAnswered: () => isAnswered }
}

/** Waits until the server counts every reader. */
async function settled({ base, root }) {
  for (;;) {
    const { text } = await send(base, 'GET', '/v1/agent/metrics?format=prometheus', { token: root })
    if (Number(/^annals_blocking_keys (\d+)/m.exec(text)?.[1]) >= READERS) return
    await pause(50)
  }
}

export const scenario = { name: 'blocked-readers', measure }
