// A million keys: reading a tree of a thousand of them, memory, and the time of a start.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../../dist/test/support/process.js'
import { send } from '../../dist/test/support/client.js'
import { liveMemory } from '../inspector.mjs'
import { median, targetText } from '../statistics.mjs'

const KEYS = 1_000_000
const IN_TREE = 1000
const AT_ONCE = 64
const READS = 50
const MOST_MS = 5
const INSPECTED = { nodeArguments: ['--inspect=127.0.0.1:0', '--max-old-space-size=6144'] }

const Value = Buffer.alloc(100, 'v').toString('base64')
const name = i =>
  `tree-${String(Math.floor(i / IN_TREE)).padStart(4, '0')}/key-${String(i % IN_TREE).padStart(4, '0')}`
const request = (i, { root }) => ({
  method: 'PUT',
  path: '/v1/txn',
  token: root,
  body: Array.from({ length: AT_ONCE }, (_, j) => ({
    KV: { Verb: 'set', Key: name(i * AT_ONCE + j), Value }
  }))
})

/** The request of the load client, which is not comparable with a bare server. */
export const scenario = { name: 'kv-million', measure, request, distinct: Math.ceil(KEYS / AT_ONCE) }

async function* measure({ start, client, scope }) {
  const server = await start(INSPECTED)
  const before = await live(server)
  const { rate } = await client.ask({
    scenario: join(import.meta.dirname, 'kv-million.mjs'),
    context: { root: server.root },
    port: server.port,
    connections: 8,
    count: scenario.distinct
  })
  yield `kv-million     ${KEYS.toLocaleString('en')} keys set, ${Math.round(rate * AT_ONCE).toLocaleString('en')} keys/s in transactions of ${AT_ONCE}`
  yield* reads(server)
  yield `  memory       ${Math.round(((await live(server)) - before) / KEYS)} bytes a key of 100 bytes`
  const { dataDir, root } = server
  await server.stop()
  const begin = performance.now()
  const again = await startServer(scope, { dataDir, ...INSPECTED })
  yield `  start        ${((performance.now() - begin) / 1000).toFixed(2)} s, resident ${Math.round(resident(again) / 2 ** 20)} MiB`
  yield* reads({ ...again, root })
  await again.stop()
}

async function* reads({ base, root }) {
  const tree = i => `tree-${String((i * 37) % 1000).padStart(4, '0')}/`
  yield `  get-tree     ${await time(i => send(base, 'PUT', '/v1/txn', { token: root, body: [{ KV: { Verb: 'get-tree', Key: tree(i) } }] }), MOST_MS)} of ${IN_TREE} keys`
  yield `  recurse      ${await time(i => send(base, 'GET', `/v1/kv/${tree(i)}?recurse`, { token: root }))} of ${IN_TREE} keys`
  yield `  keys         ${await time(() => send(base, 'GET', '/v1/kv/?keys&separator=/', { token: root }))} of ${KEYS / IN_TREE} folders`
}

/** Returns the median of consecutive requests. */
async function time(read, most) {
  const times = []
  for (let i = 0; i < READS; i++) {
    const begin = performance.now()
    const { status } = await read(i)
    if (status !== 200) throw new Error(`a read was answered ${status}`)
    times.push(performance.now() - begin)
  }
  const middle = median(times)
  return `${middle.toFixed(2)} ms${targetText(middle, most, false)}`
}

const live = async server => {
  const { heapUsed, external } = await liveMemory(server)
  return heapUsed + external
}

const resident = ({ pid }) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
