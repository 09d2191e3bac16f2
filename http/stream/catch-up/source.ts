// The interface of catch-up, which makes pieces for lagging streams without delaying writes.
import type { InjectionToken } from 'tsyringe'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { Subscription } from '../../../projections/stream/subscription.js'

export interface PieceRequest {
  readonly from: number
  /** A durable index, not below `from`. */
  readonly to: number
  /** The current permissions of the stream's reader. */
  readonly authorizer: Authorizer
  /** Memory of an unused piece, to be reused. */
  readonly spent?: Buffer<ArrayBuffer> | undefined
}

/** Selected messages of consecutive commits, ready for the wire. */
export interface Piece {
  /** Undefined for none. At most 64 kB, except a single larger message. */
  readonly bytes: Buffer<ArrayBuffer> | undefined
  /** The index after the last commit that the piece covers. */
  readonly next: number
  /** See `Selector.withheldIn`. */
  readonly withheld: number
  /** The permissions it was made under; it must not be sent if the reader's have changed. */
  readonly authorizer: Authorizer
}

export interface Reading {
  /** Returns the next piece. Must not be called concurrently. @throws CommitsPruned LogDamage CatchUpFailed */
  next(request: PieceRequest): Promise<Piece>
  close(): void
}

export interface CatchUpSource {
  open(subscription: Subscription): Reading
  /** Notes a commit: the CPU share of catch-up applies while there are writes. */
  committed(): void
  close(): Promise<void>
}

export const CATCH_UP: InjectionToken<CatchUpSource> = Symbol('CatchUpSource')

/** The engine has failed, or has ended. */
export class CatchUpFailed extends Error {
  override readonly name = 'CatchUpFailed'
}
