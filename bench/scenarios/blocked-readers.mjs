// Blocking readers, each with its own key: their cost for writers, and the delay until the affected one wakes.
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
/** Parts of a round. A ratio near 1 needs many short rounds, because load changes of the machine last seconds. */
const SLICES = 12
const LEAST_RATIO = 0.9
const MOST_WAKE_MS = 5
const WRITERS = join(import.meta.dirname, '../blocked-writers.mjs')

async function* measure({ start, client, rounds, seconds }) {
  const pair = [await start({}), await start({})]
  const load = (server, length = seconds / SLICES) =>
    client.ask({
      scenario: WRITERS,
      context: { root: server.root },
      port: server.port,
      connections: 64,
      seconds: length
    })
  // V8 has compiled the code of both servers by then.
  for (const server of pair) {
    const answered = await openReaders(server, SHORT_WAIT)
    await Promise.all(answered.map(reader => reader.answered))
    close(answered)
    await load(server, seconds)
  }
  const rates = { waited: [], other: [] }
  const ratios = []
  let readers = []
  // Two servers differ by some percent in V8's optimizations, so each is the one with readers in turn.
  for (const [waited, other] of [pair, pair.toReversed()]) {
    close(readers)
    readers = await openReaders(waited, LONG_WAIT)
    await settled(waited)
    const results = await alternate(rounds * SLICES, [
      ['waited', () => load(waited)],
      ['other', () => load(other)]
    ])
    for (const name in rates) rates[name].push(...results[name].map(({ rate }) => rate))
    ratios.push(median(results.waited.map(({ rate }, i) => rate / results.other[i].rate)))
  }
  const [first, second] = ratios
  const ratio = Math.sqrt(first * second)
  const servers = Math.sqrt(first / second)
  yield `blocked-readers  ${READERS.toLocaleString('en')} readers wait; writes of other keys ${Math.round(median(rates.waited))}/s, without readers ${Math.round(median(rates.other))}/s: ratio ${ratio.toFixed(2)}${targetText(ratio, LEAST_RATIO)}, of the two servers by themselves ${servers.toFixed(2)}`
  const times = await wakes(pair[1], readers)
  const woken = readers.filter(({ isAnswered }) => isAnswered()).length
  yield `  woken ${woken} of ${WAKES} written; ${median(times).toFixed(2)} ms after the write was sent${targetText(median(times), MOST_WAKE_MS, false)}`
  close(readers)
  for (const server of pair) await server.stop()
}

function close(readers) {
  for (const { socket } of readers) socket.destroy()
}

/** Writes the readers' keys one after another, and measures the time from each write to the reader's response. */
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

/** Starts readers, each of its own missing key. */
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
    `GET /v1/kv/waited/${key}?index=${index}&wait=${time} HTTP/1.1\r\nHost: localhost\r\nX-Service-Token: ${root}\r\n\r\n`
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
