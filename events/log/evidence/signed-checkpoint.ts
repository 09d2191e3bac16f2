import type { LogIdentity } from '../segments/format.js'
import { fromBase64 } from './base64.js'
import { MalformedNote, noteKey, type NoteKey } from './note-keys.js'
import { treeHead, type TreeHead as Head } from './note-text.js'
import { keyOfSignature, parseNote, type VerifiedSignature, verifySignature } from './note.js'

export type TreeHead = Head<Buffer>

/** Returns the name under which a log signs. It has the incarnation, so that one name never identifies two trees. */
export const originOf = ({ id, incarnation }: Pick<LogIdentity, 'id' | 'incarnation'>): string =>
  `annals/${id}/${incarnation}`

/** Returns the log that an origin names, or undefined for a foreign origin. */
export function identityOf(
  origin: string
): { readonly id: string; readonly incarnation: number } | undefined {
  const [, id, incarnation] = /^annals\/([^/]+)\/([1-9]\d*)$/u.exec(origin) ?? []
  return id === undefined ? undefined : { id, incarnation: Number(incarnation) }
}

export const checkpointText = ({ origin, size, root, extensions = [] }: TreeHead): string =>
  [origin, size, root.toString('base64'), ...extensions].map(line => `${line}\n`).join('')

/** @throws MalformedNote */
export const parseCheckpoint = (text: string): TreeHead => treeHead({ fromBase64 }, text)

export interface TrustedKeys {
  /** Keys of the log, one of which must have signed; undefined to skip the check. */
  readonly log?: readonly NoteKey[] | undefined
  /** All of these must have signed. */
  readonly witnesses?: readonly NoteKey[]
}

export interface OpenedCheckpoint {
  readonly head: TreeHead
  /** True if a given key of the log has signed. */
  readonly isSigned: boolean
  /** Signatures of the given witnesses. */
  readonly cosignatures: readonly VerifiedSignature[]
}

/** Returns the key under a checkpoint's name. Each incarnation of a log signs with the same key under a new name. */
function keyUnder(origin: string, key: NoteKey): NoteKey {
  if (key.name === origin) return key
  const [known, asked] = [identityOf(key.name), identityOf(origin)]
  if (!known || known.id !== asked?.id)
    throw new MalformedNote(`the checkpoint is of ${origin}, and the key of ${key.name}`)
  return noteKey(origin, key.publicKey, key.type)
}

/** Verifies that a key of the log and all witnesses have signed. @throws MalformedNote also for an invalid or missing signature */
export function openCheckpoint(bytes: Uint8Array, { log, witnesses = [] }: TrustedKeys): OpenedCheckpoint {
  const { text, signatures } = parseNote(bytes)
  const head = parseCheckpoint(text)
  const verified = (key: NoteKey): VerifiedSignature => {
    const signature = signatures.find(each => keyOfSignature(each, [key]))
    if (!signature)
      throw new MalformedNote(`the checkpoint of size ${head.size} is not signed by ${key.name}`)
    const holds = verifySignature(text, signature, key)
    if (!holds)
      throw new MalformedNote(
        `the signature of ${key.name} on the checkpoint of size ${head.size} does not hold: it is not what was signed`
      )
    return holds
  }
  const known = log?.map(key => keyUnder(head.origin, key)) ?? []
  const signing = known.find(key => signatures.some(each => keyOfSignature(each, [key]))) ?? known.at(0)
  if (signing) verified(signing)
  return { head, isSigned: signing !== undefined, cosignatures: witnesses.map(verified) }
}
