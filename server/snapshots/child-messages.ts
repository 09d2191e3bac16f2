// What a server and the program that makes its snapshots and bases tell each other.
import type { Settings } from '../settings/settings.js'

export interface ToChild {
  readonly settings: Settings
  /** Makes the base of the commits up to this index, in place of a snapshot. */
  readonly base?: number
}

export type FromChild =
  | {
      /** The newest commit that is in what was made. */
      readonly index: number
      /** Of a base: its digest. */
      readonly digest?: string
      /** The snapshots that could not be used, and why. */
      readonly unsound: readonly string[]
    }
  | { readonly failure: string }
