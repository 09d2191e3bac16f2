import type { GroupUnit } from '../../events/cursor.js'
import type { Event } from '../../events/envelope.js'

/** The selected events of one key in one commit. */
export interface UnitContent {
  readonly index: number
  /** Identifies the key. */
  readonly unit: string
  /** As the log has them. */
  readonly events: readonly Event[]
  /** As the stream shows them: a line with the index. */
  readonly line: Buffer
}

/** Why a unit is delivered again: a member rejected it, its visibility timeout passed, or its lease ended with its server. */
export type RedeliveryCause = 'rejected' | 'timeout' | 'interrupted'

export interface LeasedUnit extends UnitContent {
  readonly receipt: string
  readonly deliveries: number
  /** Undefined for a first delivery. */
  readonly cause: RedeliveryCause | undefined
}

export interface Settlement {
  readonly settled: readonly string[]
  /** Receipts of units that the member does not hold. */
  readonly unknown: readonly string[]
}

/** Names a unit of a group. */
export type UnitName = Pick<GroupUnit, 'Index' | 'Unit'>

/** Returns the key of a unit in maps. */
export const unitId = ({ index, unit }: Pick<UnitContent, 'index' | 'unit'>): string => `${index} ${unit}`
/** As `unitId`, of a stored unit. */
export const storedId = ({ Index, Unit }: UnitName): string => unitId({ index: Index, unit: Unit })
