// The uses of tokens in one process of a server, as the others hear of them: those of a moment together.
import type { TokenUse } from '../../../http/wire/token-use.js'
import type { TokenUseReport } from './message-types.js'

/**
 * Has the uses told that are noted from now on; each token comes at most once a minute.
 * @returns what tells at once
 */
export const reportTokenUses = (
  noted: TokenUse,
  tell: (uses: readonly TokenUseReport[]) => void
): (() => void) => {
  let uses: TokenUseReport[] = []
  let soon: NodeJS.Immediate | undefined
  const flush = (): void => {
    clearImmediate(soon)
    soon = undefined
    const told = uses
    uses = []
    if (told.length > 0) tell(told)
  }
  noted.onNoted((accessor, minute) => {
    uses.push([accessor, minute])
    soon ??= setImmediate(flush)
  })
  return flush
}
