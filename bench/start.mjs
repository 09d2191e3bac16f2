// Prints the cost of a start with and without a snapshot, the memory per resource, the bytes per commit, and the longest turn of
// the event loop while a snapshot is written.
// Usage: node bench/start.mjs [--commits N] [--keys N] [--tokens N] [--services N] [--rounds N] [--folder PATH]   (after a build)
// The commits write the keys, tokens and services (with 4 checks each) in turn. By default 1,000,000 commits leave 10,000 resources: nearly all are superseded.
// Each start is a separate process, which builds the read models like a server. Both in turn; the smallest of all rounds.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import 'reflect-metadata'
import { snapshotStoresIn } from '../dist/projections/snapshot-stores.js'
import { SegmentEventLog } from '../dist/events/log/segments/segment-event-log.js'
import { loadSettings } from '../dist/server/settings/load.js'
import { runInChild } from '../dist/server/snapshots/child-process.js'
import { viewSettings } from '../dist/server/settings/settings.js'
import { restore } from '../dist/projections/restore-views.js'
import { Views } from '../dist/projections/read-models.js'

const MIB = 2 ** 20
/** Commits of a flush, as of so many clients that write at a time. */
const BATCH = 64
/** Instances of one service, services of one node, and checks of one service. */
const INSTANCES = 100
const SERVICES_OF_NODE = 10
const CHECKS = 4
/** Bytes of a value. */
const VALUE = 100
const NANOSECONDS = 1_000_000

const settingsIn = folder => loadSettings({ env: {}, flags: { 'data-dir': folder } })
const open = (folder, readOnly) => SegmentEventLog.open({ path: join(folder, 'log'), readOnly })
const id = n => `5ec51e41-0000-4000-8000-${String(n).padStart(12, '0')}`
const by = index => ({ AccessorID: id(1), Address: '127.0.0.1', RequestID: id(index), Command: 'Write' })
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
      Value: Buffer.from(`value of commit ${index} `.padEnd(VALUE, 'v')).toString('base64'),
      Flags: 0,
      LockIndex: 0,
      CreateIndex: index,
      ModifyIndex: index
    }
  }
})

const nodeEvent = (Name, index) => ({
  Topic: 'Node',
  Type: 'NodeRegistration',
  Key: Name,
  ...common,
  Namespace: '',
  FilterKeys: [Name],
  Payload: {
    Node: {
      ID: '',
      Name,
      Datacenter: 'dc1',
      Address: '10.0.0.1',
      TaggedAddresses: null,
      Meta: null,
      RegisteredAt: '2026-01-01T00:00:00Z',
      Status: 'ready',
      StatusUpdatedAt: 0,
      SchedulingEligibility: 'eligible',
      CreateIndex: index,
      ModifyIndex: index,
      Partition: 'default'
    }
  }
})

const checkEvent = (CheckID, { Node, ID, ServiceName }, index) => ({
  Topic: 'Check',
  Type: 'CheckRegistration',
  Key: CheckID,
  ...common,
  FilterKeys: [Node, ID, ServiceName],
  Payload: {
    Check: {
      Node,
      CheckID,
      Name: 'a check',
      Status: 'passing',
      Notes: '',
      Output: '',
      ServiceID: ID,
      ServiceName,
      ServiceTags: [],
      Type: '',
      Interval: '',
      Timeout: '',
      ExposedPort: 0,
      Definition: {},
      CreateIndex: index,
      ModifyIndex: index
    }
  }
})

/** A service with its checks, the first of each node with the node. */
const serviceEvents = (n, index) => {
  const Service = {
    ID: `web-${n}`,
    ServiceName: `web-${Math.floor(n / INSTANCES)}`,
    Namespace: 'default',
    NodeID: '',
    Datacenter: 'dc1',
    Tags: [],
    Address: '10.0.0.1',
    Port: 80,
    CreateIndex: index,
    ModifyIndex: index,
    Node: `node-${Math.floor(n / SERVICES_OF_NODE)}`,
    Kind: '',
    ServiceAddress: '',
    TaggedAddresses: null,
    SocketPath: '',
    Meta: null,
    Weights: { Passing: 1, Warning: 1 },
    EnableTagOverride: false,
    Proxy: { Mode: '', MeshGateway: {}, Expose: {} },
    Connect: {},
    Partition: 'default'
  }
  const { Node, ID, ServiceName } = Service
  return [
    ...(n % SERVICES_OF_NODE === 0 ? [nodeEvent(Node, index)] : []),
    {
      Topic: 'Service',
      Type: 'ServiceRegistration',
      Key: ID,
      ...common,
      FilterKeys: [ServiceName, Node],
      Payload: { Service }
    },
    ...Array.from({ length: CHECKS }, (_, i) => checkEvent(`check-${n}-${i}`, Service, index))
  ]
}

/** @param shape the numbers of resources, which the commits write in turn */
const commit = (index, { keys, tokens, services }) => {
  const n = index % (keys + tokens + services)
  const events =
    n < keys
      ? [keyEvent(n, index)]
      : n < keys + tokens
        ? [tokenEvent(n - keys, index)]
        : serviceEvents(n - keys - tokens, index)
  return { Index: index, Time: '2026-01-01T00:00:00Z', By: by(index), Events: events }
}

const liveBytes = () => {
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Measures one start in a separate process, and writes a snapshot beside the state if there is none. */
const start = async folder => {
  const empty = liveBytes()
  const cpuBefore = process.cpuUsage()
  const begin = performance.now()
  const log = await open(folder, true)
  const views = new Views(viewSettings(settingsIn(folder)))
  const from = await restore(views, log, snapshotStoresIn(log))
  const ms = performance.now() - begin
  const { user, system } = process.cpuUsage(cpuBefore)
  const live = liveBytes() - empty
  const { rss } = process.memoryUsage()
  const stall = from === 0 ? await longestTurnOfSnapshot(folder) : 0
  await log.close()
  process.stdout.write(
    JSON.stringify({ from, index: views.index, ms, cpu: (user + system) / 1000, rss, live, stall })
  )
}

/** Returns the longest turn of the event loop, in ms, while the child process writes a snapshot. */
const longestTurnOfSnapshot = async folder => {
  const turns = monitorEventLoopDelay({ resolution: 1 })
  turns.enable()
  await runInChild({ settings: settingsIn(folder) }, { warn: console.error }, new AbortController().signal)
  turns.disable()
  return turns.max / NANOSECONDS
}

const run = folder => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', '--max-old-space-size=6144', import.meta.filename, '--start', folder],
    { encoding: 'utf8' }
  )
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(stderr)
  }
}

const best = runs => runs.reduce((a, b) => (b.ms < a.ms ? b : a))

const line = (name, { from, ms, cpu, rss, live }, resources) =>
  `${name.padEnd(14)} ${(ms / 1000).toFixed(2).padStart(7)} s  ${(cpu / 1000).toFixed(2).padStart(7)} s of CPU  ` +
  `${(rss / MIB).toFixed(0).padStart(5)} MiB resident, ${(live / MIB).toFixed(0)} MiB live, ` +
  `${Math.round(live / resources)} bytes a resource  (snapshot of commit ${from})`

/** Writes the log, or what a folder lacks of it. */
const write = async (folder, { commits, ...shape }) => {
  const log = await open(folder, false)
  let waited = Promise.resolve()
  for (let next = log.durableIndex + 1; next <= commits; next += BATCH) {
    await waited
    const size = Math.min(BATCH, commits - next + 1)
    waited = log.append(Array.from({ length: size }, (_, i) => commit(next + i, shape)))
  }
  await waited
  await log.close()
}

const main = async ({ rounds, ...shape }, kept) => {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'annals-bench-start-'))
  const snapshots = join(folder, 'log/snapshots')
  const resources = Math.min(shape.commits, shape.keys + shape.tokens + shape.services)
  try {
    await write(folder, shape)
    const runs = { replay: [], snapshot: [] }
    for (let round = 0; round < rounds; round++) {
      rmSync(snapshots, { recursive: true, force: true })
      runs.replay.push(run(folder))
      runs.snapshot.push(run(folder))
    }
    const bytesIn = path =>
      readdirSync(path)
        .map(name => statSync(join(path, name)))
        .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)
    const bytes = bytesIn(join(folder, 'log'))
    console.log(
      `${shape.commits} commits of ${Math.round(bytes / shape.commits)} bytes, of which ${shape.keys} keys, ${shape.tokens} tokens and ${shape.services} services are left`
    )
    console.log(line('replay', best(runs.replay), resources))
    console.log(line('from snapshot', best(runs.snapshot), resources))
    const stalls = runs.replay.map(({ stall }) => stall.toFixed(1)).join(', ')
    console.log(
      `the snapshot: ${(bytesIn(snapshots) / MIB).toFixed(1)} MiB; longest turn of the event loop while it is written: ${stalls} ms`
    )
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true })
  }
}

if (process.argv[2] === '--start') await start(process.argv[3])
else {
  const { folder, ...shape } = parseArgs({
    options: {
      commits: { type: 'string', default: '1000000' },
      keys: { type: 'string', default: '5000' },
      tokens: { type: 'string', default: '5000' },
      services: { type: 'string', default: '0' },
      rounds: { type: 'string', default: '3' },
      folder: { type: 'string' }
    }
  }).values
  await main(Object.fromEntries(Object.entries(shape).map(([name, value]) => [name, Number(value)])), folder)
}
