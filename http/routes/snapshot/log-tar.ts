// The files of a log as a tar.
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import { fileEntry, tarSize } from './tar.js'

export interface TarFile {
  readonly name: string
  readonly path: string
  readonly size: number
}

/** The files of a folder and of those in it, by their names from there. */
export const filesBelow = async (folder: string): Promise<readonly TarFile[]> => {
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
