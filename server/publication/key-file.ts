import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { hasCode } from '../../events/errors.js'
import { fromBase64 } from '../../events/log/evidence/base64.js'
import { SettingsError } from '../settings/settings.js'

const KEY_BYTES = 32

/** Returns the 32 bytes that a file has in Base64. @throws SettingsError for other content, and errors of the file system */
export const readKeyFile = async (file: string): Promise<Buffer> => {
  const key = fromBase64((await readFile(file, 'utf8')).trim())
  if (key?.length !== KEY_BYTES)
    throw new SettingsError(`${file} is no key: it must have ${KEY_BYTES} bytes in Base64`)
  return key
}

/** As `readKeyFile`. Creates a missing file with a random key that only its owner can read. */
export const readOrCreateKeyFile = async (file: string): Promise<Buffer> => {
  try {
    await writeFile(file, `${randomBytes(KEY_BYTES).toString('base64')}\n`, {
      flag: 'wx',
      mode: 0o600,
      flush: true
    })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  return readKeyFile(file)
}
