// Looks at the cluster now and then: who leads, whether this server is behind, and whether its log is still that of all.
import { verifySharedLog } from '../../events/log/cluster/log-follower.js'
import { SharedMismatch } from '../../events/log/cluster/shared-log.js'
import { repeat } from '../timers.js'
import type { LeaderObservation } from './leadership-machine.js'
import type { LeadershipDependencies } from './leadership-dependencies.js'

/** How often the cluster is looked at, in milliseconds. */
export const MONITOR_INTERVAL_MS = 200
/** How often this log is held against what is shared, in looks. */
const CHECK_EVERY = 5

type LookoutParts = Pick<LeadershipDependencies, 'log' | 'shared' | 'sightings' | 'timers' | 'id' | 'isFit'>

/** Whom a lookout tells. */
interface Told {
  readonly onSight: (sight: LeaderObservation) => void
  /** What is shared is not what this log is the beginning of. */
  readonly onContradicted: (error: SharedMismatch) => void
}

/** Returns how to stop. */
export const monitorCluster = (parts: LookoutParts, { onSight, onContradicted }: Told): (() => void) => {
  const { sightings, timers, id, log, shared, isFit } = parts
  const stop = sightings.onRead(({ leader }) =>
    onSight({
      leader: leader === undefined ? 'none' : leader.id === id ? 'itself' : 'another',
      isBehind: sightings.isBehind,
      isFit: isFit()
    })
  )
  const check = async (): Promise<void> => {
    try {
      await verifySharedLog(log, shared)
    } catch (error) {
      if (error instanceof SharedMismatch) onContradicted(error)
    }
  }
  let looks = 0
  const look = (): void => {
    // Whoever follows asks as well.
    if (sightings.sinceRead >= MONITOR_INTERVAL_MS || ++looks % CHECK_EVERY === 0) void check()
  }
  const stopLooking = repeat(timers, MONITOR_INTERVAL_MS, look)
  look()
  return () => {
    stop()
    stopLooking()
  }
}
