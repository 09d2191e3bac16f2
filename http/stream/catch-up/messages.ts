import type { ReadableExtent } from '../../../events/stored.js'
import type { AuthorizerRules } from '../../../projections/acl/authorizer.js'
import type { SubscriptionMessage } from '../../../projections/stream/subscription.js'

export interface ThreadStart {
  readonly path: string
  /** Share of one core during writes, above 0 to 1. */
  readonly share: number
  readonly writers: SharedArrayBuffer
  readonly pieceBytes: number
}

/** To the thread. The numbers of readings and permissions are never reused. */
export type ThreadTask =
  | { readonly kind: 'open'; readonly reading: number; readonly subscription: SubscriptionMessage }
  | { readonly kind: 'rights'; readonly rights: number; readonly rules: AuthorizerRules }
  | {
      readonly kind: 'next'
      readonly reading: number
      readonly from: number
      readonly extent: ReadableExtent
      readonly rights: number
      /** Memory of an unused piece, which is transferred. */
      readonly spent: ArrayBuffer | undefined
    }
  | { readonly kind: 'forget-rights'; readonly rights: number }
  /** Parts of commits were erased, so everything must be read again. */
  | { readonly kind: 'erased' }
  | { readonly kind: 'close'; readonly reading: number }

export type ThreadResponse =
  | {
      readonly kind: 'piece'
      readonly reading: number
      /** In transferred memory. */
      readonly bytes: Uint8Array<ArrayBuffer> | undefined
      readonly next: number
      readonly withheld: number
      /** The permissions that the piece was made under. */
      readonly rights: number
    }
  | { readonly kind: 'gone'; readonly reading: number; readonly from: number; readonly oldest: number }
  | { readonly kind: 'unfit'; readonly reading: number; readonly index: number; readonly reason: string }
  | { readonly kind: 'failed'; readonly reading: number; readonly reason: string }
