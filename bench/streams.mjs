// Prints the cost of event streams, and their effect on writes: ratios within one run.
// Usage: node bench/streams.mjs [catch-up] [live] [idle] [--commits N] [--rounds N] [--seconds S] [--subscribers LIST]   (after a build)
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from '../dist/test/support/process.js'
import { Helper } from './helper.mjs'
import { liveMemory } from './inspector.mjs'
import { cpuOf } from './measuring.mjs'
import { median } from './statistics.mjs'
import { makeLog, RARE } from './stream-log.mjs'

const TOKEN = 'b1a6c7de-3c5a-4f0e-9d39-7d0c1a8f2e55'
const CONNECTIONS = 8
const IDLE = 1000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    commits: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    subscribers: { type: 'string', default: '1,20,200,1000' },
    folder: { type: 'string' }
  }
})
const commits = Number(values.commits)
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)
const releases = []
const scope = { teardown: release => releases.unshift(release) }

const text = (value, digits = 2) => value.toLocaleString('en', { maximumFractionDigits: digits })
const start = (dataDir, more = {}) =>
  startServer(scope, {
    ...(dataDir === undefined ? {} : { dataDir }),
    initialManagement: TOKEN,
    config: { stream: { max_connections_per_address: 0 } },
    ...more
  })

/** Writes as fast as they are taken for some seconds. */
const write = (client, server, more = { seconds }) =>
  client.ask({
    scenario: join(import.meta.dirname, 'blocked-writers.mjs'),
    context: { root: TOKEN },
    port: server.port,
    connections: CONNECTIONS,
    ...more
  })

/** Median ratio of the writes with so many streams to those without, in rounds that alternate. */
async function writesBeside({ client, readers, server }, opening) {
  const ratios = []
  for (let round = 0; round < rounds; round++) {
    const alone = await write(client, server)
    await readers.ask({ ...opening, port: server.port, token: TOKEN })
    const beside = await write(client, server)
    await readers.ask({ close: true })
    ratios.push(beside.rate / alone.rate)
  }
  return `writes ${text(median(ratios))} of those without (${ratios.map(ratio => text(ratio)).join(', ')})`
}

async function catchUp(tools, folder) {
  const server = await start(folder)
  const { readers } = tools
  const open = { port: server.port, token: TOKEN, counts: true }
  const cold = []
  for (let round = 0; round < rounds; round++) {
    const began = performance.now()
    await readers.ask({ ...open, open: 1, query: `topic=KV:${RARE}&index=1`, wait: { messages: 1 } })
    cold.push(performance.now() - began)
    await readers.ask({ close: true })
  }
  console.log(
    `one key        ${text(median(cold), 0)} ms to find it (${cold.map(ms => text(ms, 0)).join(', ')})`
  )
  const resumed = { rates: [], costs: [], disordered: 0 }
  for (let round = 0; round < rounds; round++) {
    const cpu = cpuOf(server.pid)
    const began = performance.now()
    await readers.ask({ ...open, open: 1, query: 'index=1', wait: { newest: commits } })
    const took = (performance.now() - began) / 1000
    const { messages, disordered } = await readers.ask({ close: true })
    resumed.rates.push(messages / took)
    resumed.costs.push(((cpuOf(server.pid) - cpu) / messages) * 1e3)
    resumed.disordered += disordered
  }
  const { rates, costs } = resumed
  console.log(
    `resume         ${text(median(rates), 0)} commits/s (${rates.map(rate => text(rate, 0)).join(', ')}), ${text(median(costs))} µs of CPU each, ${resumed.disordered} lost or disordered`
  )
  for (const count of [1, 4, 16]) {
    const opening = { open: count, query: 'index=1', again: true }
    console.log(`${String(count).padEnd(3)}readers     ${await writesBeside({ ...tools, server }, opening)}`)
  }
  for (const count of [1, 4]) {
    const opening = { open: count, query: `topic=KV:${RARE}x&index=1`, again: true }
    console.log(`${String(count).padEnd(3)}filtered    ${await writesBeside({ ...tools, server }, opening)}`)
  }
  await server.stop()
}

/** @param subscribers the number of streams that receive every write */
async function live(tools, subscribers) {
  const server = await start()
  const { client, readers } = tools
  const opening = {
    open: subscribers,
    query: 'topic=KV&index=now',
    counts: true,
    port: server.port,
    token: TOKEN,
    wait: { bytes: 1 }
  }
  const ratios = []
  const rates = []
  const costs = []
  let disordered = 0
  for (let round = 0; round < rounds; round++) {
    let cpu = cpuOf(server.pid)
    const alone = await write(client, server)
    const each = (cpuOf(server.pid) - cpu) / alone.requests
    await readers.ask(opening)
    cpu = cpuOf(server.pid)
    const began = performance.now()
    const beside = await write(client, server)
    const newest = await indexOf(server)
    await readers.ask({ wait: { newest } })
    const took = (performance.now() - began) / 1000
    const seen = await readers.ask({ close: true })
    disordered += seen.disordered
    ratios.push(beside.rate / alone.rate)
    rates.push(seen.messages / took)
    costs.push(((cpuOf(server.pid) - cpu - each * beside.requests) / seen.messages) * 1e3)
  }
  console.log(
    `${String(subscribers).padEnd(5)}live      ${text(median(rates), 0)} events/s, ${text(median(costs))} µs of CPU a delivery beside the write, ${disordered} lost or disordered`
  )
  console.log(
    `               writes ${text(median(ratios))} of those without (${ratios.map(ratio => text(ratio)).join(', ')})`
  )
  await server.stop()
}

/** Index of the newest entry that the writers wrote. */
async function indexOf(server) {
  const answer = await fetch(`${server.base}/v1/kv/other/0`, { headers: { 'X-Service-Token': TOKEN } })
  await answer.text()
  return Number(answer.headers.get('x-service-index') ?? 0)
}

async function idle({ readers }) {
  const server = await start(undefined, { nodeArguments: ['--inspect=127.0.0.1:0'] })
  const memory = async () => {
    const { heapUsed, external } = await liveMemory(server)
    return heapUsed + external
  }
  const opening = { open: IDLE, port: server.port, token: TOKEN, query: `topic=KV&index=${2 ** 40}` }
  const before = await memory()
  const figures = []
  for (let round = 0; round < 3; round++) {
    await readers.ask({ ...opening, wait: { bytes: 1 } })
    figures.push((await memory()) - before)
    await readers.ask({ close: true })
  }
  console.log(
    `${IDLE} idle      ${figures.map(figure => text(figure / IDLE / 1000)).join(', ')} kB a stream, opened for the first to third time`
  )
  await server.stop()
}

const chosen = positionals.length > 0 ? positionals : ['catch-up', 'live', 'idle']
try {
  const tools = { client: new Helper(scope, 'client.mjs'), readers: new Helper(scope, 'readers.mjs') }
  if (chosen.includes('catch-up')) {
    const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'annals-bench-'))
    if (values.folder === undefined) scope.teardown(() => rmSync(folder, { recursive: true, force: true }))
    if (!existsSync(join(folder, 'log'))) await makeLog(folder, commits)
    await catchUp(tools, folder)
  }
  if (chosen.includes('live'))
    for (const subscribers of values.subscribers.split(',').map(Number)) await live(tools, subscribers)
  if (chosen.includes('idle')) await idle(tools)
} finally {
  for (const release of releases) await release()
}
