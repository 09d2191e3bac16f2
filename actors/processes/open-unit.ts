// A unit of a consumer group in memory, and its stored form.
import type { GroupUnit } from '../../events/cursor.js'
import { formatTime, parseTime } from '../../events/time.js'
import type { RedeliveryCause, UnitContent } from './group-unit.js'

interface Lease {
  readonly receipt: string
  readonly member: string
  /** By `Clock.elapsed`. */
  readonly until: number
}

export interface OpenUnit extends UnitContent {
  state: 'waiting' | 'leased' | 'acknowledged' | 'parked'
  deliveries: number
  /** By `Clock.now`; 0 for at once. */
  notBefore: number
  lease: Lease | undefined
  reason: string | undefined
  /** Undefined if the last delivery did not fail, or was interrupted. */
  failure: GroupUnit['Failure']
}

export const TIMED_OUT = 'The visibility timeout has passed'

export const causeOf = ({ deliveries, failure }: OpenUnit): RedeliveryCause | undefined =>
  deliveries === 0 ? undefined : (failure ?? 'interrupted')

/** Units that an earlier version stored have a reason only. */
const failureOf = ({ Failure, Reason }: GroupUnit): GroupUnit['Failure'] => {
  if (Failure !== undefined || Reason === undefined) return Failure
  return Reason === TIMED_OUT ? 'timeout' : 'rejected'
}

export const isFinished = ({ state }: OpenUnit): boolean => state === 'acknowledged' || state === 'parked'

/** Returns a unit for delivery. @param before its stored form */
export const openUnitOf = (content: UnitContent, before: GroupUnit | undefined): OpenUnit => ({
  ...content,
  state: before?.State ?? 'waiting',
  deliveries: before?.Deliveries ?? 0,
  notBefore: (before?.NotBefore === undefined ? undefined : parseTime(before.NotBefore)) ?? 0,
  lease: undefined,
  reason: before?.Reason,
  failure: before && failureOf(before)
})

export const rowOf = (unit: OpenUnit, State: GroupUnit['State']): GroupUnit => {
  const { index: Index, unit: Unit, deliveries: Deliveries, notBefore, reason, failure } = unit
  return {
    Index,
    Unit,
    State,
    Deliveries,
    ...(State === 'waiting' && notBefore > 0 ? { NotBefore: formatTime(notBefore) } : {}),
    ...(State !== 'acknowledged' && reason !== undefined ? { Reason: reason } : {}),
    ...(State !== 'acknowledged' && failure !== undefined ? { Failure: failure } : {})
  }
}
