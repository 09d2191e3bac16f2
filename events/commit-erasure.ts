// Erasures of parts of the log (log-files.md §5).

/** The parts to erase from one commit. */
export interface CommitErasure {
  readonly index: number
  /** The caller and the reason. */
  readonly who?: boolean
  /** The idempotent response. */
  readonly answer?: boolean
  /** Positions of events whose payloads and secrets are erased. */
  readonly events?: readonly number[]
  /** Positions of events whose secrets are erased. */
  readonly secrets?: readonly number[]
}

export const mergeErasures = (
  one: CommitErasure | undefined,
  { index, who, answer, events, secrets }: CommitErasure
): CommitErasure => ({
  index,
  who: one?.who === true || who === true,
  answer: one?.answer === true || answer === true,
  events: [...(one?.events ?? []), ...(events ?? [])],
  secrets: [...(one?.secrets ?? []), ...(secrets ?? [])]
})
