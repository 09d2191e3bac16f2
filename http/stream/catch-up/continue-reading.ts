// Catch-up of one stream: piece after piece, at the pace of its reader.
import type { Authorizer } from '../../../projections/acl/authorizer.js'
import type { Subscription } from '../../../projections/stream/subscription.js'
import type { LiveAuthority } from '../live-authority.js'
import type { CatchUpSource, Piece } from './source.js'

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
