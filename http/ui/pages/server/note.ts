// A signed note, as C2SP says, in its parts: what a checkpoint of the log tells, and who has signed it.

export interface CheckpointNote {
  readonly origin: string
  /** Number of commits. */
  readonly size: string
  /** Root hash of the tree, in Base64. */
  readonly root: string
  /** Names of the keys that have signed, the log's own first. */
  readonly signers: readonly string[]
}

const SIGNATURE = /^— (\S+) \S+$/

/** Nothing is verified: that is for those who have the key from elsewhere. */
export const checkpointIn = (text: string): CheckpointNote => {
  const [body = '', signatures = ''] = text.split('\n\n')
  const [origin = '', size = '', root = ''] = body.split('\n')
  const signers = signatures.split('\n').flatMap(line => SIGNATURE.exec(line)?.[1] ?? [])
  return { origin, size, root, signers: [...new Set(signers)] }
}
