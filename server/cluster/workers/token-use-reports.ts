import type { TokenUse } from '../../../http/wire/token-use.js'
import type { TokenUseReport } from './message-types.js'

/** Reports token uses, at most one per token and minute. @returns a function that flushes pending reports */
export const reportTokenUses = (
  noted: TokenUse,
  report: (uses: readonly TokenUseReport[]) => void
): (() => void) => {
  let uses: TokenUseReport[] = []
  let soon: NodeJS.Immediate | undefined
  const flush = (): void => {
    clearImmediate(soon)
    soon = undefined
    const pending = uses
    uses = []
    if (pending.length > 0) report(pending)
  }
  noted.onNoted((accessor, minute) => {
    uses.push([accessor, minute])
    soon ??= setImmediate(flush)
  })
  return flush
}
