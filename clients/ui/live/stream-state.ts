export type StreamState =
  /** The snapshot is incomplete. */
  | 'loading'
  | 'live'
  /** The requested range was read completely. */
  | 'ended'
  /** The server's refusal, which ends the stream. */
  | { readonly refused: string; readonly status: number }
  /** The connection is lost and will be restored automatically. */
  | StreamLoss

interface StreamLoss {
  readonly lost: string
  /** In milliseconds, by the clock of this machine. */
  readonly since: number
  /** Data was displayed before the loss. */
  readonly wasLive: boolean
}

export const isSameState = (one: StreamState, other: StreamState): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
