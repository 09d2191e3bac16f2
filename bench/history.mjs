// Prints the time and CPU of single reads of the past at a log of many commits. Usage: node bench/history.mjs [--commits N] [--reads N] [--folder PATH]   (after a build)
// The log writes 10,000 keys again and again. Each read is of a random key and commit, one after another. The folder is filled if it has no log.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from '../dist/test/support/process.js'
import { cpuOf, scoped } from './measuring.mjs'
import { benched } from './server.mjs'
import { percentile } from './statistics.mjs'
import { KEYS, makeLog } from './stream-log.mjs'

const ROOT = '5ec51e41-0000-4000-8000-000000000001'
/** A prefix of 111 of the 10,000 keys. */
const PREFIX = 'load/12'

const { values } = parseArgs({
  options: {
    commits: { type: 'string', default: '1000000' },
    reads: { type: 'string', default: '200' },
    folder: { type: 'string' }
  }
})
const [commits, reads] = [values.commits, values.reads].map(Number)

const anyOf = count => Math.floor(Math.random() * count)
/** A commit after all keys were written once. */
const anyIndex = () => KEYS + 1 + anyOf(commits - KEYS)

const READS = {
  'a key now': () => `/v1/kv/load/${anyOf(KEYS)}`,
  'a key at a commit': () => `/v1/kv/load/${anyOf(KEYS)}?at=${anyIndex()}`,
  '111 keys at a commit': () => `/v1/kv/${PREFIX}?recurse&at=${anyIndex()}`,
  'changes of 111 keys in 1000 commits': () => {
    const from = Math.max(KEYS + 1, anyIndex() - 1000)
    return `/v1/kv/${PREFIX}?recurse&diff=${from}..${Math.min(commits, from + 1000)}`
  },
  '10 versions of a key': () => `/v1/history/kv/load/${anyOf(KEYS)}`,
  '100 versions of a key': () => `/v1/history/kv/load/${anyOf(KEYS)}?limit=100`,
  'the commit of an index': () => `/v1/event/moment?at=${anyIndex()}`
}

const measure = async (server, name, pathOf) => {
  const times = []
  const cpu = cpuOf(server.pid)
  for (let i = 0; i < reads; i++) {
    const began = performance.now()
    await server.call('GET', pathOf())
    times.push(performance.now() - began)
  }
  const used = (cpuOf(server.pid) - cpu) / reads
  times.sort((a, b) => a - b)
  const [p50, p99] = [0.5, 0.99].map(share => percentile(times, share).toFixed(2).padStart(8))
  console.log(`${name.padEnd(36)} p50 ${p50} ms, p99 ${p99} ms, CPU ${used.toFixed(2).padStart(7)} ms`)
}

await scoped(async scope => {
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'annals-bench-history-'))
  if (values.folder === undefined) scope.teardown(() => rmSync(folder, { recursive: true }))
  if (!existsSync(join(folder, 'log'))) await makeLog(folder, commits)
  const server = benched(await startServer(scope, { dataDir: folder, initialManagement: ROOT }), ROOT)
  console.log(`${commits} commits, ${KEYS} keys`)
  for (const [name, pathOf] of Object.entries(READS)) await measure(server, name, pathOf)
})
