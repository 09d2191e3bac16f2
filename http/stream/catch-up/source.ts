// The interface of catch-up, which makes pieces for lagging streams without delaying writes.
import type { InjectionToken } from 'tsyringe'
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { Subscription } from '../../../projections/stream/subscription.js'
import type { LiveAuthority } from '../live-authority.js'

export interface PieceRequest {
  readonly from: number
  /** A durable index, not below `from`. */
  readonly to: number
  readonly authorizer: Authorizer
  /** Memory of an unused piece, to be reused. */
  readonly spent?: Buffer<ArrayBuffer> | undefined
}

/** Selected messages of consecutive commits, ready for the wire. */
export interface Piece {
  /** Undefined for none. At most 64 kB, except a single larger message. */
  readonly bytes: Buffer<ArrayBuffer> | undefined
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
  close(): Promise<void>
}

export const CATCH_UP: InjectionToken<CatchUpSource> = Symbol('CatchUpSource')

export class CatchUpFailed extends Error {
  override readonly name = 'CatchUpFailed'
}

interface LaggingStream {
  readonly subscription: Subscription
  readonly authority: LiveAuthority
  readonly authorizer: () => Authorizer
  /** The next index to read. */
  readonly next: () => number
  /** The index up to which to read; undefined when it has caught up or ended. */
  readonly target: () => number | undefined
  readonly idle: () => Promise<void>
  readonly send: (piece: Piece) => void
}

/**
 * Resolves when the stream has caught up or the signal aborts. The source prefetches the next piece while the last one is sent.
 * @throws CommitsPruned FilterTooExpensive LogDamage CatchUpFailed
 */
export async function continueReading(
  source: CatchUpSource,
  stream: LaggingStream,
  signal: AbortSignal
): Promise<void> {
  const { subscription, authority, authorizer, next, target, idle, send } = stream
  const reading = source.open(subscription)
  let spent: Piece['bytes']
  signal.addEventListener('abort', () => reading.close(), { once: true })
  try {
    for (let last = target(); last !== undefined && !signal.aborted; last = target()) {
      await idle()
      if (next() >= authority.heldFrom) await authority.lifted()
      if (signal.aborted) return
      const to = Math.min(last, authority.heldFrom - 1)
      if (to < next()) continue
      const piece = await reading.next({ from: next(), to, authorizer: authorizer(), spent })
      spent = piece.bytes
      // A heartbeat may have been sent meanwhile.
      await idle()
      if (signal.aborted) return
      // A piece made under outdated permissions is dropped, as is one that is held until they are known.
      if (piece.authorizer === authorizer() && piece.next <= authority.heldFrom) send(piece)
    }
  } finally {
    reading.close()
  }
}
