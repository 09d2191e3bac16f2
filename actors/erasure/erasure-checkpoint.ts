/** A file of the log by the index of its first commit. Every write or replacement changes the stamp. */
export interface LogFileStamp {
  readonly first: number
  readonly stamp: string
}

export interface ErasureCheckpoint {
  /** The secrets of all resources deleted up to this commit are erased. */
  readonly secretsUpTo: number
  /** All orders up to this commit were executed, in the files with these stamps. */
  readonly ordersUpTo: number
  readonly files: readonly LogFileStamp[]
  /** The newest commit whose secrets were erased; 0 for none. */
  readonly newestSecrets: number
}

export const EMPTY_ERASURE_CHECKPOINT: ErasureCheckpoint = {
  secretsUpTo: 0,
  ordersUpTo: 0,
  files: [],
  newestSecrets: 0
}

export interface CommitRangeToErase {
  readonly from: number
  readonly to: number
}

/**
 * Returns the commits in files that changed since, and in the newest file.
 * @param now ascending; empty for a log without files, which selects all commits
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
