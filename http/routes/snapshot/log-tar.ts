// A copy of the files of a log, and the tar that is made of it.
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

/** The files of a folder and of those in it, by their names from there. */
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

/** A tar of files, and how large it is. */
export const tarOf = (files: readonly TarFile[]): { readonly size: number; readonly bytes: Pack } => {
  const bytes = pack()
  addFiles(bytes, files).catch(error => bytes.destroy(error))
  return { size: tarSize(files.map(({ size }) => size)), bytes }
}

/**
 * Copies the files of a log as of now, and removes the copy when it was used. The copy shares its blocks with them where the file system can.
 * @param folder where the copy stands meanwhile; it is made
 * @param use gets the files, and the index of the last commit in them
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

/** Whether the writing of a tar was broken off by its reader. */
export const isClientDisconnect = (error: unknown): boolean => hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE')
