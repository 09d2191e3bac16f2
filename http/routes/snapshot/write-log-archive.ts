// Writes a log as an archive: its files as of one commit, so that whoever restores them goes on with the same log.
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import { META, SIGNED_SUMS, STATE, SUMS } from './format.js'
import type { LogFiles, Signed } from '../../../actors/snapshot/log-files.js'
import { filesBelow, tarOf, type TarFile } from './log-tar.js'
import { summed } from './summed.js'
import { fileEntry, textEntry } from './tar.js'
import { metaOf, type Writer } from './meta.js'

const FOLDER_MODE = 0o700

async function* piecesOf(archive: Pack): AsyncGenerator<Buffer> {
  for await (const piece of archive) if (Buffer.isBuffer(piece)) yield piece
}

/** A copy of a log, and who signs what is written of it. */
interface CopiedLog extends Signed {
  readonly index: number
  readonly files: readonly TarFile[]
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
