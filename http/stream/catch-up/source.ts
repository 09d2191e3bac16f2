// What a stream that is behind reads from: pieces of what its reader may see, made off the way of those who write.
import type { InjectionToken } from 'tsyringe'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { Subscription } from '../../../projections/stream/subscription.js'

/** What a stream asks for: commits from one index to another, as far as they fit a piece. */
export interface PieceRequest {
  readonly from: number
  /** A durable index, not below `from`. */
  readonly to: number
  /** What the stream's reader may see at this moment. */
  readonly authorizer: Authorizer
  /** The bytes of a piece that nobody looks at any more: later ones are made in their memory. */
  readonly spent?: Buffer<ArrayBuffer> | undefined
}

/** Some commits on, ready for the wire. */
export interface Piece {
  /** What is selected of them; undefined for nothing. At most 64 kB, but for a single message that is larger. */
  readonly bytes: Buffer<ArrayBuffer> | undefined
  /** The index after the last commit that was looked at. */
  readonly next: number
  /** See `Selector.withheldIn`. */
  readonly withheld: number
  /** What decided on each of its events: with other rights than the reader has now it must not be sent. */
  readonly authorizer: Authorizer
}

/** The catching up of one stream. */
export interface Reading {
  /** The next piece. One at a time. @throws CommitsGone LogDamage CatchUpFailed */
  next(request: PieceRequest): Promise<Piece>
  /** Nothing more is asked for; what is being made is dropped. */
  close(): void
}

export interface CatchUpSource {
  open(subscription: Subscription): Reading
  /** Something was committed: while somebody writes, catching up takes no more than its share. */
  committed(): void
  /** Ends all of them. */
  close(): Promise<void>
}

/** What streams that are behind read from. */
export const CATCH_UP: InjectionToken<CatchUpSource> = Symbol('CatchUpSource')

/** What makes the pieces has failed, or has ended. */
export class CatchUpFailed extends Error {
  override readonly name = 'CatchUpFailed'
}
