// What the server and the thread that catches up tell each other.
import type { ReadableExtent } from '../../../events/stored.js'
import type { AuthorizerRules } from '../../../projections/acl/authorizer.js'
import type { SubscriptionMessage } from '../../../projections/stream/subscription.js'

/** What the thread is started with. */
export interface ThreadStart {
  /** Folder of the log. */
  readonly path: string
  /** Of one core while somebody writes, above 0 to 1. */
  readonly share: number
  /** Of `Writers`. */
  readonly writers: SharedArrayBuffer
  readonly pieceBytes: number
}

/** To the thread. Readings and rights have numbers that are never used again. */
export type ThreadTask =
  | { readonly kind: 'open'; readonly reading: number; readonly subscription: SubscriptionMessage }
  | { readonly kind: 'rights'; readonly rights: number; readonly rules: AuthorizerRules }
  | {
      readonly kind: 'next'
      readonly reading: number
      readonly from: number
      readonly extent: ReadableExtent
      readonly rights: number
      /** Memory of a piece that nobody looks at any more, which changes hands again. */
      readonly spent: ArrayBuffer | undefined
    }
  | { readonly kind: 'forget-rights'; readonly rights: number }
  /** Parts of commits were erased: what was read before is read again. */
  | { readonly kind: 'erased' }
  | { readonly kind: 'close'; readonly reading: number }

/** From the thread, to each `next` one. */
export type ThreadResponse =
  | {
      readonly kind: 'piece'
      readonly reading: number
      /** Nothing else uses the memory behind them: it changes hands. */
      readonly bytes: Uint8Array<ArrayBuffer> | undefined
      readonly next: number
      readonly withheld: number
      /** Under which it was made. */
      readonly rights: number
    }
  | { readonly kind: 'gone'; readonly reading: number; readonly from: number; readonly oldest: number }
  | { readonly kind: 'unfit'; readonly reading: number; readonly index: number; readonly reason: string }
  | { readonly kind: 'failed'; readonly reading: number; readonly reason: string }
