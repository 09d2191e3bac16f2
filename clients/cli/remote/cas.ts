// Conditional writes.
import { UsageError } from '../console.js'

interface Condition {
  readonly cas: boolean
  readonly modifyIndex: string | undefined
}

/** Returns the required ModifyIndex: 0 if the resource must not exist, undefined for an unconditional write. @throws UsageError */
export const casOf = ({ cas, modifyIndex }: Condition): string | undefined => {
  if (!cas && modifyIndex !== undefined) throw new UsageError('--modify-index has no effect without --cas')
  return cas ? (modifyIndex ?? '0') : undefined
}
