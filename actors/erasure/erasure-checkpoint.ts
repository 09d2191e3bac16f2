// How far erasing has come, as a server remembers it from one start to the next.

/** A file of the log, by the index of its first commit, and what changes whenever it is written or another is put in its place. */
export interface LogFileStamp {
  readonly first: number
  readonly stamp: string
}

export interface ErasureCheckpoint {
  /** The secrets of all that has ended up to this commit are erased. */
  readonly secretsUpTo: number
  /** All orders up to this commit are carried out, in the files as they were then. */
  readonly ordersUpTo: number
  readonly files: readonly LogFileStamp[]
  /** The newest commit whose secrets were erased since they ended; 0 for none. */
  readonly newestSecrets: number
}

export const EMPTY_ERASURE_CHECKPOINT: ErasureCheckpoint = {
  secretsUpTo: 0,
  ordersUpTo: 0,
  files: [],
  newestSecrets: 0
}

/** Some commits, the last one included. */
export interface CommitRangeToErase {
  readonly from: number
  readonly to: number
}

/**
 * The commits in files that are not as they were, and in the newest one, which is still written.
 * @param now ascending; none for a log that has no files: then it is all commits
 */
export const commitsChangedSince = (
  before: readonly LogFileStamp[],
  now: readonly LogFileStamp[]
): readonly CommitRangeToErase[] => {
  const known = new Map(before.map(({ first, stamp }) => [first, stamp]))
  if (now.length === 0) return [{ from: 1, to: Infinity }]
  return now.flatMap(({ first, stamp }, i) => {
    const next = now[i + 1]
    if (next && known.get(first) === stamp) return []
    return [{ from: first, to: next ? next.first - 1 : Infinity }]
  })
}
