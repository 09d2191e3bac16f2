// The cost of a published log and of replicas: files, bytes and CPU time of a publication, speed of the catch-up of a replica, and its lag.
// All parts are in this process, and the web server on a thread: the CPU time is that of server, publication, replica and client together.
import 'reflect-metadata'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Connection } from '../dist/clients/typescript/connection.js'
import { noteSigner, parseVkey } from '../dist/events/log/evidence/note-keys.js'
import { SegmentEventLog } from '../dist/events/log/segments/segment-event-log.js'
import { LogEvidence } from '../dist/http/wire/log-evidence.js'
import { recordSource, serverFiles } from '../dist/server/commands/server-source.js'
import { manifestOrigin } from '../dist/server/publication/payload-manifest.js'
import { payloadCipher } from '../dist/server/publication/payload-cipher.js'
import { PayloadPublisher } from '../dist/server/publication/payload-publisher.js'
import { httpFiles } from '../dist/server/publication/public-files.js'
import { PublishedFolder } from '../dist/server/publication/published-folder.js'
import { Publisher } from '../dist/server/publication/publisher.js'
import { publishedSource } from '../dist/server/replica/replica-source.js'
import { logFolder } from '../dist/server/settings/settings.js'
import { temporaryFolder } from '../dist/test/support/process.js'
import { replicaInProcess, sourceAt } from '../dist/test/support/replica.js'
import { ROOT, serverInProcess } from '../dist/test/support/server.js'
import { scoped } from './measuring.mjs'
import { percentile } from './statistics.mjs'

const { values } = parseArgs({
  options: {
    commits: { type: 'string', default: '100000' },
    samples: { type: 'string', default: '200' }
  }
})
const COMMITS = Number(values.commits)
const SAMPLES = Number(values.samples)
const BATCH = 1000
/** Writes a second while the lag is measured. */
const RATE = 10

const commitOf = index => {
  const Key = `services/web/${index % 1000}`
  const KV = { LockIndex: 0, Key, Flags: 0, Value: 'ODA4MA==', CreateIndex: index, ModifyIndex: index }
  return {
    Index: index,
    Time: new Date(1_790_000_000_000 + index).toISOString(),
    By: { AccessorID: '', Address: '127.0.0.1', RequestID: '', Command: 'SetKey' },
    Events: [
      {
        Topic: 'KV',
        Type: 'KVSet',
        Key,
        Namespace: 'default',
        Partition: 'default',
        FilterKeys: null,
        Payload: { KV }
      }
    ]
  }
}

const fill = async dataDir => {
  const log = await SegmentEventLog.open({ path: logFolder(dataDir) })
  for (let first = 1; first <= COMMITS; first += BATCH)
    await log.append(Array.from({ length: BATCH }, (_, i) => commitOf(first + i)))
  await log.close()
}

/** Serves the files of a folder. */
const serveFiles = async folder => {
  const server = createServer((request, response) => {
    readFile(join(folder, request.url)).then(
      bytes => response.end(bytes),
      () => response.writeHead(404).end()
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort.postMessage(server.address().port)
}

/** A web server on a thread of its own, since that of a replica is another machine. Its readers count. */
const webServer = async (scope, folder) => {
  const thread = new Worker(new URL(import.meta.url), { workerData: folder })
  scope.teardown(() => thread.terminate())
  const [port] = await once(thread, 'message')
  return { counts: { requests: 0, bytes: 0 }, base: `http://127.0.0.1:${port}` }
}

/** Resolves when a replica shows so many commits: without requests, which would take its time. */
const caughtUp = async (replica, size) => {
  await new Promise(resolve => {
    replica.log.onDurable(durable => durable >= size && resolve())
    if (replica.log.durableIndex >= size) resolve()
  })
  await replica.shows(size)
}

const measured = async work => {
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 }
}

const text = ({ seconds, cpu }) => `${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s CPU`
const perSecond = ({ seconds }) => `${Math.round(COMMITS / seconds).toLocaleString('en')} commits/s`
const megabytes = bytes => `${(bytes / 1e6).toFixed(1)} MB`

const sizesOf = async (folder, path) => {
  const files = await new PublishedFolder(folder).list(path)
  const sizes = await Promise.all(files.map(async file => (await stat(join(folder, file))).size))
  return `${files.length} files, ${megabytes(sizes.reduce((sum, size) => sum + size, 0))}`
}

/** Starts the source, and publishes its log. */
const publish = async (scope, folder) => {
  const dataDir = join(temporaryFolder(scope), 'data')
  await fill(dataDir)
  const server = await serverInProcess(scope, { dataDir })
  const evidence = server.scope.resolve(LogEvidence).required
  await evidence.checkpoints.covering(COMMITS)
  const { vkey } = evidence
  const connection = new Connection({ address: server.base, token: ROOT })
  const [target, key] = [new PublishedFolder(folder), parseVkey(vkey)]
  const signer = noteSigner(manifestOrigin(key.name), Buffer.alloc(32, 7))
  const cipher = payloadCipher(Buffer.alloc(32, 8))
  const publisherWith = payloads =>
    new Publisher({ source: serverFiles(connection), target, keys: [key], payloads })
  console.log(`entries, tiles and checkpoint: ${text(await measured(() => publisherWith().publish()))}`)
  const source = recordSource(connection)
  const publisher = publisherWith(new PayloadPublisher({ source, target, cipher, signerOf: () => signer }))
  console.log(`payloads, encrypted: ${text(await measured(() => publisher.publish()))}`)
  console.log(
    `tiles and entries: ${await sizesOf(folder, 'tile')}; payloads: ${await sizesOf(folder, 'payload')}`
  )
  return { server, vkey, publisher, keys: { manifestKey: signer.key, cipher } }
}

/** Catches up from nothing. @returns the replica of the published log */
const catchUp = async (scope, { server, vkey, keys }, web) => {
  const get = async path => {
    const response = await fetch(`${web.base}/${path}`)
    web.counts.requests++
    web.counts.bytes += Number(response.headers.get('content-length') ?? 0)
    if (response.ok) return response
    await response.arrayBuffer()
    return undefined
  }
  const start = source => replicaInProcess(scope, { source, vkey, tokens: undefined, interval: 500 })
  let replica
  const fromFolder = await measured(async () => {
    replica = await start(publishedSource(httpFiles(web.base, get), keys))
    await caughtUp(replica, COMMITS)
  })
  console.log(
    `replica of the published log: ${text(fromFolder)}, ${perSecond(fromFolder)}, ${web.counts.requests} requests, ${megabytes(web.counts.bytes)}`
  )
  const fromServer = await measured(async () => {
    const other = await start(sourceAt(server.base))
    await caughtUp(other, COMMITS)
    await other.close()
  })
  console.log(`replica of the server, both in this process: ${text(fromServer)}, ${perSecond(fromServer)}`)
  return replica
}

/** Measures how long after the answer to a write the replica has it. */
const lag = async ({ server, publisher }, replica, counts) => {
  const ending = new AbortController()
  const publishing = (async () => {
    while (!ending.signal.aborted) {
      await publisher.publish()
      await pause(200)
    }
  })()
  const before = { ...counts }
  const shown = []
  replica.log.onDurable(index => shown.push([index, performance.now()]))
  const written = []
  const taken = await measured(async () => {
    for (let i = 0; i < SAMPLES; i++) {
      await server.send('PUT', `/v1/kv/lag/${i}`, { body: `${i}` })
      written.push([server.app.log.durableIndex, performance.now()])
      await pause(1000 / RATE)
    }
    await replica.shows(server.app.log.durableIndex)
  })
  ending.abort()
  await publishing
  const lags = written
    .map(([index, at]) => (shown.find(([upTo]) => upTo >= index)?.[1] ?? Infinity) - at)
    .toSorted((a, b) => a - b)
  console.log(
    `lag behind the source at ${RATE} writes/s through a published log: p50 ${percentile(lags, 0.5).toFixed(0)} ms, p99 ${percentile(lags, 0.99).toFixed(0)} ms of ${SAMPLES}; ${text(taken)}`
  )
  const [requests, bytes] = [counts.requests - before.requests, counts.bytes - before.bytes]
  console.log(
    `a replica meanwhile: ${(requests / taken.seconds).toFixed(1)} requests/s, ${(bytes / taken.seconds / 1000).toFixed(1)} kB/s`
  )
}

const run = async scope => {
  const folder = temporaryFolder(scope)
  const published = await publish(scope, folder)
  const web = await webServer(scope, folder)
  const replica = await catchUp(scope, published, web)
  const { requests, bytes } = web.counts
  await pause(10_000)
  console.log(
    `an idle replica: ${((web.counts.requests - requests) / 10).toFixed(1)} requests/s, ${((web.counts.bytes - bytes) / 10).toFixed(0)} bytes/s`
  )
  await lag(published, replica, web.counts)
}

if (isMainThread) {
  await scoped(run)
  process.exit(0)
} else await serveFiles(workerData)
