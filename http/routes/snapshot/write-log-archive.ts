// Writes a log as an archive: its files as of one commit, so that whoever restores them goes on with the same log.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import { META, SIGNED_SUMS, STATE, SUMS } from './format.js'
import type { LogFiles, Signed } from '../../../actors/snapshot/log-files.js'
import { summed } from './summed.js'
import { fileEntry, tarSize, textEntry } from './tar.js'
import { metaOf, type Writer } from './meta.js'

const FOLDER_MODE = 0o700

interface File {
  readonly name: string
  readonly path: string
  readonly size: number
}

const filesBelow = async (folder: string): Promise<readonly File[]> => {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  return Promise.all(
    files
      .toSorted()
      .map(async path => ({ name: relative(folder, path), path, size: (await stat(path)).size }))
  )
}

const addFiles = async (archive: Pack, files: readonly File[]): Promise<void> => {
  for (const { name, path, size } of files)
    await pipeline(createReadStream(path), fileEntry(archive, name, size))
  archive.finalize()
}

/** A tar of files, and how large it is. */
const tarOf = (files: readonly File[]): { readonly size: number; readonly bytes: Pack } => {
  const bytes = pack()
  addFiles(bytes, files).catch(error => bytes.destroy(error))
  return { size: tarSize(files.map(({ size }) => size)), bytes }
}

async function* piecesOf(archive: Pack): AsyncGenerator<Buffer> {
  for await (const piece of archive) if (Buffer.isBuffer(piece)) yield piece
}

/** A copy of a log, and who signs what is written of it. */
interface CopiedLog extends Signed {
  readonly index: number
  readonly files: readonly File[]
}

const fill = async (archive: Pack, { index, files, vkey, sign }: CopiedLog, by: Writer): Promise<void> => {
  const { size, bytes } = tarOf(files)
  const meta = metaOf(index, size, by, vkey)
  await textEntry(archive, META, meta)
  const sum = createHash('sha256')
  await pipeline(summed(piecesOf(bytes), sum), fileEntry(archive, STATE, size))
  const metaSum = createHash('sha256').update(meta).digest('hex')
  const sums = `${metaSum}  ${META}\n${sum.digest('hex')}  ${STATE}\n`
  await textEntry(archive, SUMS, sums)
  await textEntry(archive, SIGNED_SUMS, sign(sums))
  archive.finalize()
}

/**
 * Writes the log as of now, as fast as `out` takes it. A copy of its files stands below `folder` meanwhile, which shares its blocks with them where the
 * file system can.
 */
export const writeLogArchive = async (
  log: LogFiles,
  folder: string,
  by: Writer,
  out: Writable
): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  const copy = await mkdtemp(join(folder, 'log-'))
  try {
    const { index } = await log.copyTo(copy)
    const signed = await log.signing()
    const archive = pack()
    const files = await filesBelow(copy)
    await Promise.all([
      pipeline(archive, createGzip(), out),
      fill(archive, { index, files, ...signed }, by).catch(error => archive.destroy(error))
    ])
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}
