// Durable appends to a plain file, as a baseline for the cost of the disk.
import { constants, openSync, closeSync, rmSync, write, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serveJobs } from './helper.mjs'

const writeAt = promisify(write)
const SECTOR = 512
/** Bytes allocated at a time, as in the log. */
const STEP = 4 * 1024 * 1024

/**
 * One job: { folder, size (bytes of a write), seconds }. Its result: { rate (per second), p50, p99 (ms) }.
 * A write is on disk when it returns (`O_DSYNC`), in blocks that were allocated before, as in the log.
 */
serveJobs(async ({ folder, size, seconds }) => {
  const fd = openSync(join(folder, 'bare'), constants.O_RDWR | constants.O_CREAT | constants.O_DSYNC)
  const value = Buffer.alloc(Math.ceil(size / SECTOR) * SECTOR, 'a')
  const begin = performance.now()
  const times = []
  let allocated = 0
  for (let now = begin, at = 0; now < begin + seconds * 1000; at += value.length) {
    if (at + value.length > allocated) {
      writeSync(fd, Buffer.alloc(STEP), 0, STEP, allocated)
      allocated += STEP
      now = performance.now()
    }
    await writeAt(fd, value, 0, value.length, at)
    const after = performance.now()
    times.push(after - now)
    now = after
  }
  const took = performance.now() - begin
  closeSync(fd)
  rmSync(folder, { recursive: true })
  times.sort((a, b) => a - b)
  return {
    rate: (times.length / took) * 1000,
    p50: times[times.length >> 1],
    p99: times[Math.floor(times.length * 0.99)]
  }
})
