// What a server and the program that makes its snapshots tell each other.
import type { Settings } from '../settings.js'

export interface ToChild {
  readonly settings: Settings
}

export type FromChild =
  | {
      /** The newest commit that is in the snapshot. */
      readonly index: number
      /** The snapshots that could not be used, and why. */
      readonly unsound: readonly string[]
    }
  | { readonly failure: string }
