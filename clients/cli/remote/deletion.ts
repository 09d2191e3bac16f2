import { Failed, hasStatus, Missing } from '../console.js'
import { on } from './flags.js'
import type { Output } from './output.js'

/** The flags of commands that delete one resource. */
export const deletionFlags = { mustExist: on('fail with exit code 1 if it does not exist') }

export const DELETION = 'Deleting a missing resource succeeds with a note, unless --must-exist is given.'

const NOT_FOUND_CODE = 'acl.not-found'

const isMissing = (error: unknown): boolean =>
  error instanceof Missing ||
  hasStatus(error, 404) ||
  (error instanceof Error && 'code' in error && error.code === NOT_FOUND_CODE)

/**
 * Deletes a resource, or notes that it does not exist.
 * @param what such as `policy "web"`
 * @param remove returns the confirmation; fails with 404 or Missing if there is no resource
 */
export const deleteIfPresent = async (
  { out, flags }: { readonly out: Output; readonly flags: unknown },
  what: string,
  remove: () => Promise<string>
): Promise<void> => {
  try {
    out.note(await remove())
  } catch (error) {
    if (!isMissing(error)) throw error
    if (Reflect.get(Object(flags), 'mustExist') === true) throw new Failed(`${what} does not exist`)
    out.note(`Nothing to delete: ${what} does not exist`)
  }
}
