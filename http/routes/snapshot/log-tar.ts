// Copies the files of a log, and packs them into a tar.
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import type { LogFiles } from '../../../actors/snapshot/log-files.js'
import { fileEntry, tarSize } from './tar.js'
import { hasCode } from '../../../events/errors.js'

const FOLDER_MODE = 0o700

interface TarFile {
  readonly name: string
  readonly path: string
  readonly size: number
}

/** Returns all files below a folder with their relative names. */
const filesBelow = async (folder: string): Promise<readonly TarFile[]> => {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  return Promise.all(
    files
      .toSorted()
      .map(async path => ({ name: relative(folder, path), path, size: (await stat(path)).size }))
  )
}

const addFiles = async (archive: Pack, files: readonly TarFile[]): Promise<void> => {
  for (const { name, path, size } of files)
    await pipeline(createReadStream(path), fileEntry(archive, name, size))
  archive.finalize()
}

/** Returns a tar of files and its size. */
export const tarOf = (files: readonly TarFile[]): { readonly size: number; readonly bytes: Pack } => {
  const bytes = pack()
  addFiles(bytes, files).catch(error => bytes.destroy(error))
  return { size: tarSize(files.map(({ size }) => size)), bytes }
}

/**
 * Copies the current files of a log, and removes the copy after use. The copy shares their blocks if the file system can.
 * @param folder of the copy; created if missing
 * @param use receives the files and the index of their last commit
 */
export const withLogCopy = async (
  log: LogFiles,
  folder: string,
  use: (files: readonly TarFile[], index: number) => Promise<void>
): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  const copy = await mkdtemp(join(folder, 'log-'))
  try {
    const { index } = await log.copyTo(copy)
    await use(await filesBelow(copy), index)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Returns true if the reader of a tar disconnected. */
export const isClientDisconnect = (error: unknown): boolean => hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE')
