// What a checkpoint of the log tells, and who has signed it. Nothing is verified: that is for those who have the key from elsewhere.
import { noteParts, treeHead } from '../../../../events/log/evidence/note-text.js'
import { base64Of, fromBase64 } from '../../things/base64.js'

export interface CheckpointNote {
  readonly origin: string
  /** Number of commits. */
  readonly size: number
  /** Root hash of the tree, in Base64. */
  readonly root: string
  /** Names of the keys that have signed, the log's own first. */
  readonly signers: readonly string[]
}

/** @throws MalformedNote when it is no checkpoint */
export const checkpointIn = (note: string): CheckpointNote => {
  const { text, signatures } = noteParts({ fromBase64 }, note)
  const { origin, size, root } = treeHead({ fromBase64 }, text)
  return { origin, size, root: base64Of(root), signers: [...new Set(signatures.map(({ name }) => name))] }
}
