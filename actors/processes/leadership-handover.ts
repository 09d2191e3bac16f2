// What an orderly end of a server waits for: that it leads no more, and that another one leads whom all know.
import type { EventEmitter } from 'eventemitter3'
import type { Leader } from '../../events/log/cluster/shared-log.js'
import type { Timers } from '../timers.js'
import type { LeadershipState } from './leadership-dependencies.js'

/** How long an orderly end waits for another server to lead, … */
const SUCCESSOR_MS = 1000
/** … and then until all have heard of it: what they send until then is answered, in milliseconds. */
const HEARD_MS = 300

/** It leads, or may come to, and what became of its writes is not certain. */
const IN_BETWEEN: readonly LeadershipState[] = ['campaigning', 'catchingUp', 'steppingDown']

/** `changed`: of the state, or who leads. */
export interface LeadershipSignals {
  changed: []
}

/** The part of a server, as it changes. */
interface Changing {
  readonly signals: EventEmitter<LeadershipSignals>
  readonly state: LeadershipState
  readonly leader: Pick<Leader, 'id'> | undefined
}

type AnyTimers = Pick<Timers, 'setTimeout' | 'clearTimeout'>

/** Resolves when something is so, or so many ms are over. */
const whenChanged = (
  { signals }: Changing,
  isSo: () => boolean,
  most?: { readonly timers: AnyTimers; readonly ms: number }
): Promise<void> =>
  new Promise(resolve => {
    const done = (): void => {
      signals.off('changed', look)
      if (timer !== undefined) most?.timers.clearTimeout(timer)
      resolve()
    }
    const look = (): void => {
      if (isSo()) done()
    }
    const timer = most?.timers.setTimeout(done, most.ms)
    signals.on('changed', look)
    look()
  })

/** Resolves when the server neither leads nor is about to, and what became of everything that it wrote is certain. */
export const hasCeded = (server: Changing): Promise<void> =>
  whenChanged(server, () => !IN_BETWEEN.includes(server.state))

/**
 * Resolves when another server leads and all have heard of it, or that takes too long: what others send meanwhile to this server as their
 * leader goes to the next one, and none of it is cut off.
 * @param id of the server's own node
 */
export const isSucceeded = async (server: Changing, id: string, timers: AnyTimers): Promise<void> => {
  await whenChanged(server, () => server.leader !== undefined && server.leader.id !== id, {
    timers,
    ms: SUCCESSOR_MS
  })
  await new Promise<void>(resolve => timers.setTimeout(resolve, HEARD_MS))
}
