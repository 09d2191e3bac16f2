// Observes the leader, this server's lag and the consistency of its log with the shared one.
import { verifySharedLog } from '../../events/log/cluster/log-follower.js'
import { SharedMismatch } from '../../events/log/cluster/shared-log.js'
import { repeat } from '../timers.js'
import type { LeaderObservation } from './leadership-machine.js'
import type { LeadershipDependencies } from './leadership-dependencies.js'

export const MONITOR_INTERVAL_MS = 200
/** Number of observations between two comparisons of this log with the shared one. */
const CHECK_INTERVAL_TICKS = 5

type ClusterMonitorDependencies = Pick<
  LeadershipDependencies,
  'log' | 'shared' | 'clusterObservation' | 'timers' | 'id' | 'isFit'
>

interface ClusterMonitorListeners {
  readonly onObserved: (sight: LeaderObservation) => void
  /** The shared log does not continue this log. */
  readonly onContradicted: (error: SharedMismatch) => void
}

export const monitorCluster = (
  dependencies: ClusterMonitorDependencies,
  { onObserved: onSight, onContradicted }: ClusterMonitorListeners
): (() => void) => {
  const { clusterObservation, timers, id, log, shared, isFit } = dependencies
  const stop = clusterObservation.onRead(({ leader }) =>
    onSight({
      leader: leader === undefined ? 'none' : leader.id === id ? 'itself' : 'another',
      isBehind: clusterObservation.isBehind,
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
  let count = 0
  const tick = (): void => {
    // Following the shared log reads it too.
    if (clusterObservation.sinceRead >= MONITOR_INTERVAL_MS || ++count % CHECK_INTERVAL_TICKS === 0)
      void check()
  }
  const stopLooking = repeat(timers, MONITOR_INTERVAL_MS, tick)
  tick()
  return () => {
    stop()
    stopLooking()
  }
}
