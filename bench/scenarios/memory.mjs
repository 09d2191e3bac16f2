// The memory per stored token, and the start time of a server with many of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../../dist/test/support/process.js'
import { liveMemory } from '../inspector.mjs'
import { median, targetText } from '../statistics.mjs'
import { scenario as create } from './token-create.mjs'

const MOST_PER_TOKEN = 2500
const MOST_SECONDS = 3
const STARTS = 3
const INSPECTED = { nodeArguments: ['--inspect=127.0.0.1:0'] }

async function* measure({ start, client, scope, tokens }) {
  const server = await start(INSPECTED)
  const before = await measured(server)
  const { rate } = await client.ask({
    scenario: join(import.meta.dirname, 'token-create.mjs'),
    context: await create.prepare(server),
    port: server.port,
    connections: 64,
    count: tokens
  })
  yield `memory         ${tokens.toLocaleString('en')} tokens created, ${Math.round(rate).toLocaleString('en')}/s`
  const busy = residentMemory(server.pid)
  yield `  before any   ${memoryText(before)}`
  yield `  right after  resident ${mib(busy.total)} (of it anonymous ${mib(busy.anonymous)})`
  yield* perToken('after collection', before, await measured(server), tokens)
  const { dataDir } = server
  await server.stop()

  const times = []
  for (let i = 0; i < STARTS; i++) {
    const begin = performance.now()
    const again = await startServer(scope, { dataDir })
    times.push((performance.now() - begin) / 1000)
    await again.stop()
  }
  const time = median(times)
  yield `  start        ${time.toFixed(2)} s${targetText(time, MOST_SECONDS, false)}`
  const restarted = await startServer(scope, { dataDir, ...INSPECTED })
  yield* perToken('after a restart', before, await measured(restarted), tokens)
  await restarted.stop()
}

async function measured(server) {
  const { heapUsed, external } = await liveMemory(server)
  return { ...residentMemory(server.pid), live: heapUsed + external }
}

/** Returns the memory of a process in bytes: resident, and the part without mapped files. */
function residentMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = name => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024
  return { total: field('VmRSS'), anonymous: field('RssAnon') }
}

function* perToken(when, before, after, tokens) {
  const each = name => Math.round((after[name] - before[name]) / tokens)
  const target = targetText(each('anonymous'), MOST_PER_TOKEN, false)
  yield `  ${when}: ${memoryText(after)}`
  yield `  per token    live ${each('live')} bytes, resident ${each('total')}, of it anonymous ${each('anonymous')}${target}`
}

const mib = bytes => `${(bytes / 2 ** 20).toFixed(0)} MiB`
const memoryText = ({ total, anonymous, live }) =>
  `resident ${mib(total)} (of it anonymous ${mib(anonymous)}), live heap and buffers ${mib(live)}`

export const scenario = { name: 'memory', measure }
