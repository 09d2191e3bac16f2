// Writes on the condition that nobody else has written.
import { UsageError } from '../console.js'

interface Condition {
  readonly cas: boolean
  readonly modifyIndex: string | undefined
}

/** The ModifyIndex that a thing must have for a write; 0: it must not exist; undefined: any. @throws UsageError */
export const casOf = ({ cas, modifyIndex }: Condition): string | undefined => {
  if (!cas && modifyIndex !== undefined) throw new UsageError('--modify-index has no effect without --cas')
  return cas ? (modifyIndex ?? '0') : undefined
}
