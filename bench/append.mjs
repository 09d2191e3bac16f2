// Durable appends to a bare LMDB store, one after another: the measure of what the disk and the lmdb package cost.
import { rmSync } from 'node:fs'
import { open } from 'lmdb'
import { serveJobs } from './helper.mjs'

/**
 * One job: { folder, size (bytes of a value), seconds }. Its result: { rate (per second), p50, p99 (ms) }.
 * With `overlappingSync` off, as in the log's engine, a put is fulfilled when it is on disk.
 */
serveJobs(async ({ folder, size, seconds }) => {
  const store = open({ path: folder, encoding: 'binary', keyEncoding: 'uint32', overlappingSync: false })
  const value = Buffer.alloc(size, 'a')
  const begin = performance.now()
  const times = []
  for (let now = begin; now < begin + seconds * 1000;) {
    await store.put(times.length, value)
    const after = performance.now()
    times.push(after - now)
    now = after
  }
  const took = performance.now() - begin
  await store.close()
  rmSync(folder, { recursive: true })
  times.sort((a, b) => a - b)
  return {
    rate: (times.length / took) * 1000,
    p50: times[times.length >> 1],
    p99: times[Math.floor(times.length * 0.99)]
  }
})
