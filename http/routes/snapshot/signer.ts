// Verifies the signature of an archive.
import { invalid } from '../../../actors/refusal.js'
import { recover } from '../../../events/errors.js'
import { MalformedNote, parseVkey, type NoteKey } from '../../../events/log/evidence/note-keys.js'
import { openNote } from '../../../events/log/evidence/note.js'
import { BadArchive } from './format.js'

const keyOf = (vkey: unknown): NoteKey | undefined =>
  typeof vkey === 'string'
    ? recover(
        () => parseVkey(vkey),
        MalformedNote,
        () => undefined
      )
    : undefined

/** Returns the name of the log of a key without its incarnation. */
const logOf = ({ name }: NoteKey): string => name.slice(0, name.lastIndexOf('/'))

const isSigned = (note: string, text: string, key: NoteKey): boolean => {
  const verify = (): boolean => {
    const opened = openNote(Buffer.from(note), [key])
    return opened.text === text && opened.verified.length > 0
  }
  return recover(verify, MalformedNote, () => false)
}

/** The signature of an archive. */
interface Claim {
  /** `SHA256SUMS` and its note. */
  readonly sums: string | undefined
  readonly note: string | undefined
  /** `Signer` of `meta.json`. */
  readonly signer: unknown
}

/** Public keys as C2SP signed-note writes them. */
export interface KnownKeys {
  /** The key of this server's log, which signs all its archives. */
  readonly vkey: string
  /** The key that must have signed every archive; undefined for any. */
  readonly pin: string | undefined
}

/** @throws Refusal `invalid` for a malformed public key */
export const requireKey = (pin: string): void => {
  if (!keyOf(pin))
    throw invalid(
      'snapshot.invalid',
      'Invalid pin: it is no public key as GET /v1/event/checkpoint/key tells it, NAME+HASH+KEY'
    )
}

/**
 * Verifies that the pinned key signed an archive, and for an archive of this server's log its key. The archive itself names the key of
 * another log.
 * @throws BadArchive otherwise
 */
export const verifySigner = ({ sums, note, signer }: Claim, { vkey, pin }: KnownKeys): void => {
  const key = keyOf(signer)
  if (sums === undefined || note === undefined || !key) throw new BadArchive('it is not signed')
  // The name of the key includes the log's incarnation, which changes.
  if (pin !== undefined && !keyOf(pin)?.publicKey.equals(key.publicKey))
    throw new BadArchive('it is not signed with the key that is pinned')
  const mine = keyOf(vkey)
  const isMine = mine !== undefined && logOf(mine) === logOf(key)
  if (isMine && !mine.publicKey.equals(key.publicKey))
    throw new BadArchive('it is not signed with the key of this log')
  if (!isSigned(note, sums, key)) throw new BadArchive('its signature does not hold')
}
