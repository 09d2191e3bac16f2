// What part a server plays in its cluster, as its workers hear of it.
import type { DependencyContainer } from 'tsyringe'
import { Committer } from '../../../actors/committer.js'
import { Timers } from '../../../actors/timers.js'
import type { WorkerFeed } from '../../../events/log/cluster/worker-feed.js'
import type { ClusterPort } from '../members/cluster-port.js'
import type { ClusterRoleUpdate, ToWorkers } from './message-types.js'

/** As often as a server hears from its cluster by itself. */
export const ROLE_UPDATE_MS = 200

/** Tells it until the function that it returns is called. */
export const sendClusterRole = (
  scope: DependencyContainer,
  cluster: ClusterPort,
  feed: WorkerFeed<ToWorkers>
): (() => void) => {
  const committer = scope.resolve(Committer)
  const timers = scope.resolve(Timers)
  let timer: string | undefined
  const part = (): ClusterRoleUpdate => ({
    isPlaying: ['following', 'leading'].includes(cluster.role()) && committer.isReadable,
    isLeaderKnown: cluster.leader() !== undefined,
    lastContact: cluster.lastContact()
  })
  const tell = (): void => feed.sendRetained('part', { kind: 'part', part: part() })
  const tellOn = (): void => {
    tell()
    timer = timers.setTimeout(tellOn, ROLE_UPDATE_MS)
  }
  const unlisten = cluster.onChange(tell)
  tellOn()
  return () => {
    unlisten()
    if (timer !== undefined) timers.clearTimeout(timer)
  }
}
