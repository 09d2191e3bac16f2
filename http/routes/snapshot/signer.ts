// Whether an archive is as its writer signed it.
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

/**
 * Proves that the sums of an archive are signed: with the key of this server's log, where it is of the same log. The key of another log is
 * taken as the archive names it.
 * @throws BadArchive when they are not
 */
export const proveSigner = (
  sums: string | undefined,
  note: string | undefined,
  signer: unknown,
  own: string
): void => {
  const key = keyOf(signer)
  if (sums === undefined || note === undefined || !key) throw new BadArchive('it is not signed')
  const mine = keyOf(own)
  const isMine = mine !== undefined && logOf(mine) === logOf(key)
  if (isMine && !mine.publicKey.equals(key.publicKey))
    throw new BadArchive('it is not signed with the key of this log')
  if (!isSigned(note, sums, key)) throw new BadArchive('its signature does not hold')
}
