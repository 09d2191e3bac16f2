// What the programs that measure servers share: the processor's time of processes, and what ends with a measurement.
import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** Processor's time that a process has taken so far, in ms. */
export const cpuOf = pid => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1000
}

/** The same of a process and those that it has begun. */
export const cpuWithChildren = pid => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return [pid, ...children.filter(Boolean)].reduce((sum, one) => sum + cpuOf(one), 0)
}

/** Runs what measures with a scope that ends with it. */
export const scoped = async measure => {
  const releases = []
  try {
    return await measure({ teardown: release => releases.unshift(release) })
  } finally {
    for (const release of releases) await release()
  }
}
