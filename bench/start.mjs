// Prints the cost of a start with and without a snapshot, for a log whose commits have nearly all been superseded.
// Usage: node bench/start.mjs [commits] [folder]   (after a build; default: 1,000,000 commits)
// Each start is a separate process, which builds the read models like a server. Both in turn; the smallest of three.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import 'reflect-metadata'
import { besideLog } from '../dist/projections/snapshot-stores.js'
import { SegmentEventLog } from '../dist/events/log/segments/segment-event-log.js'
import { loadSettings } from '../dist/server/settings/load.js'
import { makeSnapshot } from '../dist/server/snapshots/create-state-snapshot.js'
import { viewSettings } from '../dist/server/settings/view-settings.js'
import { restore } from '../dist/projections/restore-views.js'
import { Views } from '../dist/projections/read-models.js'

const MIB = 2 ** 20
/** The final number of tokens and keys, for any number of commits. */
const TOKENS = 5000
const KEYS = 5000
const BATCH = 2000
const ROUNDS = 3

const settingsIn = folder => loadSettings({ env: {}, flags: { 'data-dir': folder } })
const open = (folder, readOnly) => SegmentEventLog.open({ path: join(folder, 'log'), readOnly })
const id = n => `5ec51e41-0000-4000-8000-${String(n).padStart(12, '0')}`
const by = (index, Command) => ({ AccessorID: id(1), Address: '127.0.0.1', RequestID: id(index), Command })
const common = { Namespace: 'default', Partition: 'default', FilterKeys: null }

const tokenEvent = (n, index) => ({
  Topic: 'ACLToken',
  Type: 'ACLTokenUpserted',
  Key: id(n),
  ...common,
  Payload: {
    ACLToken: {
      AccessorID: id(n),
      SecretID: '',
      Description: `written by commit ${index}`,
      Policies: [{ ID: id(2), Name: 'operators' }],
      Roles: [],
      ServiceIdentities: [],
      NodeIdentities: [],
      Local: false,
      AuthMethod: '',
      CreateTime: '2026-01-01T00:00:00Z',
      Hash: 'x'.repeat(44),
      CreateIndex: index,
      ModifyIndex: index
    }
  },
  Secrets: { SecretID: id(n + 1_000_000_000) }
})

const keyEvent = (n, index) => ({
  Topic: 'KV',
  Type: 'KVSet',
  Key: `services/web/${n}`,
  ...common,
  Payload: {
    KV: {
      Key: `services/web/${n}`,
      Value: Buffer.from(`value of commit ${index}`).toString('base64'),
      Flags: 0,
      LockIndex: 0,
      CreateIndex: index,
      ModifyIndex: index
    }
  }
})

const commit = index => ({
  Index: index,
  Time: '2026-01-01T00:00:00Z',
  By: by(index, index % 2 === 0 ? 'SetKey' : 'UpdateToken'),
  Events: [index % 2 === 0 ? keyEvent((index >> 1) % KEYS, index) : tokenEvent((index >> 1) % TOKENS, index)]
})

/** Measures one start in a separate process. */
const start = async folder => {
  const begin = performance.now()
  const log = await open(folder, true)
  const views = new Views(viewSettings(settingsIn(folder)))
  const from = await restore(views, log, besideLog(log))
  const ms = performance.now() - begin
  globalThis.gc()
  const { rss, heapUsed, external } = process.memoryUsage()
  const cpu = process.cpuUsage()
  await log.close()
  process.stdout.write(
    JSON.stringify({
      from,
      index: views.index,
      ms,
      cpu: (cpu.user + cpu.system) / 1000,
      rss,
      heapUsed,
      external
    })
  )
}

const run = folder => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', import.meta.filename, '--start', folder],
    { encoding: 'utf8' }
  )
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(stderr)
  }
}

const best = runs => runs.reduce((a, b) => (b.ms < a.ms ? b : a))

const line = (name, { from, ms, cpu, rss, heapUsed }) =>
  `${name.padEnd(14)} ${(ms / 1000).toFixed(2).padStart(7)} s  ${(cpu / 1000).toFixed(2).padStart(7)} s of CPU  ` +
  `${(rss / MIB).toFixed(0).padStart(5)} MiB resident, ${(heapUsed / MIB).toFixed(0)} MiB heap  (snapshot of commit ${from})`

const main = async () => {
  const commits = Number(process.argv[2] ?? 1_000_000)
  const folder = mkdtempSync(join(process.argv[3] ?? tmpdir(), 'annals-bench-start-'))
  try {
    const log = await open(folder, false)
    let waited = Promise.resolve()
    for (let next = 1; next <= commits; next += BATCH) {
      await waited
      const size = Math.min(BATCH, commits - next + 1)
      waited = log.append(Array.from({ length: size }, (_, i) => commit(next + i)))
    }
    await waited
    const begin = performance.now()
    const { path } = await makeSnapshot(settingsIn(folder), log, besideLog(log), () => {})
    const made = performance.now() - begin
    await log.close()
    const snapshots = join(folder, 'log/snapshots')
    const aside = join(folder, 'aside')
    const { renameSync } = await import('node:fs')
    const runs = { replay: [], snapshot: [] }
    for (let round = 0; round < ROUNDS; round++) {
      runs.snapshot.push(run(folder))
      renameSync(snapshots, aside)
      runs.replay.push(run(folder))
      renameSync(aside, snapshots)
    }
    const bytes = readdirSync(join(folder, 'log'))
      .map(name => statSync(join(folder, 'log', name)))
      .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)
    console.log(
      `${commits} commits (${(bytes / MIB).toFixed(0)} MiB), of which ${TOKENS} tokens and ${KEYS} keys are left`
    )
    console.log(line('replay', best(runs.replay)))
    console.log(line('from snapshot', best(runs.snapshot)))
    console.log(
      `the snapshot: ${(statSync(path).size / MIB).toFixed(1)} MiB, made in ${(made / 1000).toFixed(2)} s with the replay`
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (process.argv[2] === '--start') await start(process.argv[3])
else await main()
