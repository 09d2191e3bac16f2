// Semaphores as clients of Consul keep them: the key `.lock` of a folder says who of its contenders have a slot.
import { textInBase64 } from '../../../things/base64.js'
import { textOf, type Fields } from '../../../things/kind.js'

/** The flags by which its clients know the keys of a semaphore. */
const FLAGS = '16210313421097356624'

export interface Semaphore {
  /** Slots. */
  readonly limit: number
  /** IDs of sessions. */
  readonly holders: readonly string[]
}

/** Undefined for every other key. */
export const semaphoreIn = ({ Key, Flags, Value }: Fields): Semaphore | undefined => {
  if (textOf(Flags) !== FLAGS || !/(?:^|\/)\.lock$/.test(textOf(Key)) || typeof Value !== 'string')
    return undefined
  try {
    const state: unknown = JSON.parse(textInBase64(Value) ?? '')
    const { Limit, Holders }: { readonly Limit?: unknown; readonly Holders?: unknown } = Object(state)
    return { limit: Number(Limit), holders: Object.keys(Object(Holders)) }
  } catch {
    return undefined
  }
}
