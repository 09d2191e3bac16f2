import { availableParallelism } from 'node:os'

/** Limit of automatic workers: each of them holds all read models. */
const MAX_AUTOMATIC = 8

/** Returns true if this platform and version of Node.js balance the connections of a port between processes: since 22.12, and in version 23 since 23.1. */
export const sharesPorts = (): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return (
    process.platform === 'linux' &&
    (major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12))
  )
}

/** Returns the number of workers for `auto`: one per core, less that of the main process; 0 where processes cannot share ports. */
export const automaticWorkers = (cores = availableParallelism(), canShare = sharesPorts()): number =>
  canShare ? Math.min(Math.max(cores - 1, 0), MAX_AUTOMATIC) : 0
