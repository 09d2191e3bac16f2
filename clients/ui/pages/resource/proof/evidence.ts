// Verifies the evidence of a commit: the checkpoint by its key, the leaf by its hashes, and both by the tree.
import {
  hexId,
  keyParts,
  MalformedNote,
  noteParts,
  treeHead,
  type KeyParts,
  type TreeHead
} from '../../../../../events/log/evidence/note-text.js'
import {
  openLeafBy,
  type OpenedLeaf,
  type DisclosedLeaf
} from '../../../../../events/log/evidence/open-leaf.js'
import type { Platform } from '../../../../../events/log/evidence/platform.js'
import { hashesOf, nodeHashBy } from '../../../../evidence/platform.js'
import { proofsBy, ProofFailed } from '../../../../../events/log/evidence/proofs.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { fromBase64 } from '../../../resources/base64.js'

/** Browsers offer no WebCrypto on pages without TLS, except from localhost. */
export const platform: Platform = { sha256, fromBase64 }

const isSigned = (text: string, signature: Uint8Array, key: Uint8Array): boolean => {
  try {
    return ed25519.verify(signature, new TextEncoder().encode(text), key, { zip215: false })
  } catch {
    // The signature is malformed.
    return false
  }
}

const { isIncluded, isConsistent } = proofsBy(nodeHashBy(platform))

/** A checkpoint with a valid signature. */
export interface Checkpoint {
  readonly head: TreeHead
  /** The text from the server. */
  readonly note: string
  readonly key: KeyParts
  /** The key in its text format. */
  readonly vkey: string
}

/** Formats the ID of a key. */
export const idOf = ({ id }: KeyParts): string => hexId(id)

/** @throws MalformedNote for an invalid checkpoint, Unproved if the key has not signed it */
export const openCheckpoint = (note: string, vkey: string): Checkpoint => {
  const key = keyParts(platform, vkey.trim())
  const { text, signatures } = noteParts(platform, note)
  const head = treeHead(platform, text)
  const signature = signatures.find(({ name, id }) => name === key.name && id === key.id)
  if (head.origin !== key.name || !signature)
    throw new ProofFailed(`the checkpoint is of ${head.origin}, and the key ${key.name} has not signed it`)
  if (key.type !== 'ed25519' || !isSigned(text, signature.bytes, key.key))
    throw new ProofFailed(`the signature of the checkpoint does not hold: it is not what ${key.name} signed`)
  return { head, note, key, vkey: vkey.trim() }
}

/** @throws Unproved if the tree of the checkpoint does not contain the commit with these parts */
export const openCommit = (
  leaf: DisclosedLeaf,
  index: number,
  hashes: readonly string[],
  { head }: Checkpoint
): OpenedLeaf => {
  if (leaf.Index !== index) throw new ProofFailed(`commit ${leaf.Index} was sent in place of ${index}`)
  const opened = openLeafBy(platform, leaf)
  if (!isIncluded({ index: index - 1, hash: opened.hash }, head, hashesOf(platform, hashes)))
    throw new ProofFailed(`the log of ${head.size} commits does not have this commit there`)
  return opened
}

/** @throws Unproved if the newer log does not start with the older one */
export const proveGrowth = (older: TreeHead, newer: TreeHead, hashes: readonly string[]): void => {
  if (!isConsistent(older, newer, hashesOf(platform, hashes)))
    throw new ProofFailed(
      `the log of ${newer.size} commits does not begin with the ${older.size} commits that were signed before: they were changed since`
    )
}

/** Distinguishes disproofs from failed requests. */
export const isDisproof = (error: unknown): error is Error =>
  error instanceof ProofFailed || error instanceof MalformedNote

export { ProofFailed as Unproved } from '../../../../../events/log/evidence/proofs.js'
