// How a stream that is behind comes up with the others: piece after piece, as its reader takes them.
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { Subscription } from '../../../projections/stream/subscription.js'
import type { LiveAuthority } from '../live-authority.js'
import type { CatchUpSource, Piece } from './source.js'

/** A stream that is behind. */
interface LaggingStream {
  readonly subscription: Subscription
  readonly authority: LiveAuthority
  /** What its reader may see now. */
  readonly authorizer: () => Authorizer
  /** The next index it will look at. */
  readonly next: () => number
  /** The index up to which it is to read; undefined when it has caught up, or ends. */
  readonly target: () => number | undefined
  /** Resolves when its reader has taken the last piece. */
  readonly idle: () => Promise<void>
  readonly send: (piece: Piece) => void
}

/**
 * Resolves when the stream has caught up, or the signal aborts. A piece is asked for when the last was taken; its maker has begun it by then.
 * @throws CommitsGone UnfitFilter LogDamage CatchUpFailed
 */
export async function continueReading(
  source: CatchUpSource,
  straggler: LaggingStream,
  signal: AbortSignal
): Promise<void> {
  const { subscription, authority, authorizer, next, target, idle, send } = straggler
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
      // A sign of life may have gone out meanwhile.
      await idle()
      if (signal.aborted) return
      // Not what was made under other rights than those of now, nor what is held back until they are known.
      if (piece.authorizer === authorizer() && piece.next <= authority.heldFrom) send(piece)
    }
  } finally {
    reading.close()
  }
}
