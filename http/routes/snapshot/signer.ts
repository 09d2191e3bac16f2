// Whether an archive is as its writer signed it.
import { invalid } from '../../../actors/refusal.js'
import { MalformedNote, parseVkey, type NoteKey } from '../../../events/log/evidence/note-keys.js'
import { openNote } from '../../../events/log/evidence/note.js'
import { BadArchive } from './format.js'

const keyOf = (vkey: unknown): NoteKey | undefined => {
  try {
    return typeof vkey === 'string' ? parseVkey(vkey) : undefined
  } catch (error) {
    if (error instanceof MalformedNote) return undefined
    throw error
  }
}

/** The log that a key signs for, without its incarnation. */
const logOf = ({ name }: NoteKey): string => name.slice(0, name.lastIndexOf('/'))

const isSigned = (note: string, text: string, key: NoteKey): boolean => {
  try {
    const opened = openNote(Buffer.from(note), [key])
    return opened.text === text && opened.verified.length > 0
  } catch (error) {
    if (error instanceof MalformedNote) return false
    throw error
  }
}

/** What an archive says of who has signed it. */
interface Claim {
  /** `SHA256SUMS`, and the note of it. */
  readonly sums: string | undefined
  readonly note: string | undefined
  /** `Signer` of `meta.json`. */
  readonly signer: unknown
}

/** Public keys as C2SP signed-note writes them. */
export interface KnownKeys {
  /** That of this server's log: archives of the same log are signed with it. */
  readonly vkey: string
  /** The one that every archive must be signed with; undefined: any. */
  readonly pin: string | undefined
}

/** @throws Refusal `invalid` when a text is no public key */
export const requireKey = (pin: string): void => {
  if (!keyOf(pin))
    throw invalid('Invalid pin: it is no public key as GET /v1/event/checkpoint/key tells it, NAME+HASH+KEY')
}

/**
 * Proves that the sums of an archive are signed: with the key that is pinned, and with that of this server's log, where it is of the same log. The
 * key of another log is taken as the archive names it.
 * @throws BadArchive when they are not
 */
export const verifySigner = ({ sums, note, signer }: Claim, { vkey, pin }: KnownKeys): void => {
  const key = keyOf(signer)
  if (sums === undefined || note === undefined || !key) throw new BadArchive('it is not signed')
  // Its name has the incarnation of the log, which changes.
  if (pin !== undefined && !keyOf(pin)?.publicKey.equals(key.publicKey))
    throw new BadArchive('it is not signed with the key that is pinned')
  const mine = keyOf(vkey)
  const isMine = mine !== undefined && logOf(mine) === logOf(key)
  if (isMine && !mine.publicKey.equals(key.publicKey))
    throw new BadArchive('it is not signed with the key of this log')
  if (!isSigned(note, sums, key)) throw new BadArchive('its signature does not hold')
}
