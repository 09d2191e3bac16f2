// What is to be erased of a commit.

/** Parts of one commit that are to be erased. */
export interface CommitErasure {
  readonly index: number
  /** Who asked for it, and why. */
  readonly who?: boolean
  /** The answer that is kept with it. */
  readonly answer?: boolean
  /** Numbers of events whose payloads and secrets are erased. */
  readonly events?: readonly number[]
  /** Numbers of events whose secrets are erased. */
  readonly secrets?: readonly number[]
}

/** What either of two erases, of one commit. */
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
