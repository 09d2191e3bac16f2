import type { EventEmitter } from 'eventemitter3'
import type { Leader } from '../../events/log/cluster/shared-log.js'
import type { Timers } from '../clock.js'
import type { LeadershipState } from './leadership-dependencies.js'

const SUCCESSOR_MS = 1000
/** Time for all servers to learn of the new leader, ms; requests are served until then. */
const HEARD_MS = 300

/** The server leads or may become the leader, and the outcome of its writes is uncertain. */
const TRANSITIONAL: readonly LeadershipState[] = ['campaigning', 'catchingUp', 'steppingDown']

/** `changed`: the state or the leader has changed. */
export interface LeadershipSignals {
  changed: []
}

interface ObservedLeadership {
  readonly signals: EventEmitter<LeadershipSignals>
  readonly state: LeadershipState
  readonly leader: Pick<Leader, 'id'> | undefined
}

type AnyTimers = Pick<Timers, 'setTimeout' | 'clearTimeout'>

const whenChanged = (
  { signals }: ObservedLeadership,
  condition: () => boolean,
  timeout?: { readonly timers: AnyTimers; readonly ms: number }
): Promise<void> =>
  new Promise(resolve => {
    const finish = (): void => {
      signals.off('changed', check)
      if (timer !== undefined) timeout?.timers.clearTimeout(timer)
      resolve()
    }
    const check = (): void => {
      if (condition()) finish()
    }
    const timer = timeout?.timers.setTimeout(finish, timeout.ms)
    signals.on('changed', check)
    check()
  })

/** Resolves when the server neither leads nor is about to, and the outcome of all its writes is known. */
export const hasCeded = (server: ObservedLeadership): Promise<void> =>
  whenChanged(server, () => !TRANSITIONAL.includes(server.state))

/** Resolves when all servers know another leader, or after a timeout, so that their requests are not cut off. @param id of the server's own node */
export const isSucceeded = async (
  server: ObservedLeadership,
  id: string,
  timers: AnyTimers
): Promise<void> => {
  await whenChanged(server, () => server.leader !== undefined && server.leader.id !== id, {
    timers,
    ms: SUCCESSOR_MS
  })
  await new Promise<void>(resolve => timers.setTimeout(resolve, HEARD_MS))
}
