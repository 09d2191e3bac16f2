// Writes a log as an archive: its files as of one commit, so that whoever restores them goes on with the same log.
import { createHash } from 'node:crypto'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import { META, STATE } from './format.js'
import type { LogFiles, Signed } from '../../../actors/snapshot/log-files.js'
import { tarOf, withLogCopy, type TarFile } from './log-tar.js'
import { summed } from './summed.js'
import { fileEntry, sumsEntry, textEntry } from './tar.js'
import { metaOf, type Writer } from './meta.js'

async function* piecesOf(archive: Pack): AsyncGenerator<Buffer> {
  for await (const piece of archive) if (Buffer.isBuffer(piece)) yield piece
}

/** A copy of a log, and who signs what is written of it. */
interface CopiedLog {
  readonly signed: Signed
  readonly index: number
  readonly files: readonly TarFile[]
}

const fill = async (archive: Pack, { index, files, signed }: CopiedLog, by: Writer): Promise<void> => {
  const { size, bytes } = tarOf(files)
  const meta = metaOf(index, size, by, signed.vkey)
  await textEntry(archive, META, meta)
  const sum = createHash('sha256')
  await pipeline(summed(piecesOf(bytes), sum), fileEntry(archive, STATE, size))
  await sumsEntry(archive, meta, sum.digest('hex'), signed)
  archive.finalize()
}

/** Writes the log as of now, as fast as `out` takes it. A copy of its files stands below `folder` meanwhile. */
export const writeLogArchive = (log: LogFiles, folder: string, by: Writer, out: Writable): Promise<void> =>
  withLogCopy(log, folder, async (files, index) => {
    const signed = await log.signing()
    const archive = pack()
    await Promise.all([
      pipeline(archive, createGzip(), out),
      fill(archive, { index, files, signed }, by).catch(error => archive.destroy(error))
    ])
  })
