// Measures the durable log; `bench/run.mjs create-cost` compares it with plain writes.
// Usage: node bench/log.mjs [folder]   (after a build; the folder decides which disk is measured)
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SegmentEventLog } from '../dist/events/log/segments/segment-event-log.js'
import { verifyChain } from '../dist/events/log/verify.js'

const base = mkdtempSync(join(process.argv[2] ?? tmpdir(), 'annals-bench-log-'))
const id = n => `5ec51e41-0000-4000-8000-${String(n).padStart(12, '0')}`

/** A commit of one event with a record of about 700 bytes. */
const commit = index => ({
  Index: index,
  Time: '2026-01-01T00:00:00.000000000Z',
  By: { AccessorID: id(1), Address: '127.0.0.1', RequestID: id(index), Command: 'CreateToken' },
  Events: [
    {
      Topic: 'ACLToken',
      Type: 'ACLTokenUpserted',
      Key: id(index),
      Namespace: '',
      Partition: 'default',
      FilterKeys: null,
      Payload: {
        ACLToken: {
          AccessorID: id(index),
          Description: 'made by the benchmark of the log',
          Policies: [{ ID: id(2), Name: 'operators' }],
          CreateIndex: index,
          ModifyIndex: index,
          CreateTime: '2026-01-01T00:00:00Z',
          Local: false
        }
      }
    }
  ]
})

const cpu = () => process.threadCpuUsage?.() ?? process.cpuUsage()

/** Runs `total` appends with concurrency `width`, and prints the rate and the CPU time of this thread. */
async function measure(title, width, total, append) {
  let next = 0
  const client = async () => {
    while (next < total) await append(++next)
  }
  const [start, from] = [performance.now(), cpu()]
  await Promise.all(Array.from({ length: width }, client))
  const [ms, to] = [performance.now() - start, cpu()]
  const micros = (to.user + to.system - from.user - from.system) / total
  console.log(
    `${title.padEnd(34)} ${String(width).padStart(3)} in flight ${String(Math.round((total / ms) * 1000)).padStart(8)}/s` +
      ` ${micros.toFixed(1).padStart(6)} us CPU of the main thread each`
  )
}

const sizes = [
  [1, 5_000],
  [64, 200_000]
]
for (const [width, total] of sizes) {
  const path = join(base, `log-${width}`)
  const log = await SegmentEventLog.open({ path })
  await measure('log, one event', width, total, n => log.append([commit(n)]))
  await log.close()
}
const timed = async (title, work) => {
  const start = performance.now()
  const result = await work()
  console.log(`${title.padEnd(34)} ${(performance.now() - start).toFixed(0)} ms`)
  return result
}
const path = join(base, 'log-64')
const log = await timed('open, 200,000 commits', () => SegmentEventLog.open({ path }))
await timed('read all', async () => {
  for await (const each of log.read(1)) if (each.Index < 1) throw new Error('bad index')
})
await timed('history of one key', async () => {
  const { Topic, Partition, Namespace, Key } = commit(12_345).Events[0]
  for await (const each of log.history({
    topic: Topic,
    partition: Partition,
    namespace: Namespace,
    key: Key
  }))
    if (each.Index !== 12_345) throw new Error('bad history')
})
await timed('verify', () => verifyChain(log))
await log.close()
rmSync(base, { recursive: true })
