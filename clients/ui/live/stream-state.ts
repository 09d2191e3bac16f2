// How it stands with what a page reads from the stream.

export type StreamState =
  /** The stream has not told yet what is there now. */
  | 'loading'
  | 'live'
  /** All that was asked for has been told. */
  | 'ended'
  /** The server said no, in its words: nothing more comes. */
  | { readonly refused: string; readonly status: number }
  /** There is no connection; the stream goes on by itself when there is one again. */
  | StreamLoss

interface StreamLoss {
  /** What failed. */
  readonly lost: string
  /** In milliseconds, by the clock of this machine. */
  readonly since: number
  /** Whether anything was told before. */
  readonly wasLive: boolean
}

/** Whether two states say the same to people. */
export const isSameState = (one: StreamState, other: StreamState): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
