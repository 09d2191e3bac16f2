// Shared by the programs that measure servers: CPU time of processes, and cleanup after a measurement.
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Returns the CPU time of a process so far, in ms. */
export const cpuOf = pid => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1000
}

/** Returns the process IDs of the children of a process. */
export const childrenOf = pid =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)

/** Returns how often a process has written to files and sockets: once for each small response. */
export const writesOf = pid => Number(/syscw: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))[1])

/** Runs a measurement with a scope that ends with it. */
export const scoped = async measure => {
  const releases = []
  try {
    return await measure({ teardown: release => releases.unshift(release) })
  } finally {
    for (const release of releases) await release()
  }
}
