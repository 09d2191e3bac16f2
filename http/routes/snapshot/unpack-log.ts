// Unpacks the log of an archive into a folder.
import { createWriteStream } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { extract } from 'tar-stream'
import { flushPath } from '../../../events/files.js'
import { BadArchive } from './format.js'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600
/** Files of a log and of its folders, without paths that leave it. */
const NAME = /^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/
const MAGIC = 'ustar'
const MAGIC_AT = 257

export const isTar = (start: Buffer): boolean =>
  start.toString('latin1', MAGIC_AT, MAGIC_AT + MAGIC.length) === MAGIC

/**
 * Writes the files of a tar to a new folder, which replaces an existing one.
 * @throws BadArchive for a file that does not belong to a log
 */
export const unpackLog = async (bytes: AsyncIterable<Buffer>, folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: FOLDER_MODE })
  const folders = new Set([folder])
  const entries = extract()
  const unpacking = pipeline(bytes, entries)
  // The reader of the entries receives the error, too.
  unpacking.catch(() => {})
  for await (const entry of entries) {
    const { name, type } = entry.header
    if (type !== 'file' || !NAME.test(name)) throw new BadArchive(`"${name}" in it is no file of a log`)
    const path = join(folder, name)
    if (!folders.has(dirname(path))) await mkdir(dirname(path), { mode: FOLDER_MODE })
    folders.add(dirname(path))
    await pipeline(entry, createWriteStream(path, { flags: 'wx', mode: FILE_MODE, flush: true }))
  }
  await unpacking
  for (const each of folders) await flushPath(each)
  await flushPath(dirname(folder))
}
