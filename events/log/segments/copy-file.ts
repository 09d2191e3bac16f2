// Copies files of a log to a folder elsewhere, durably.
import { createHash } from 'node:crypto'
import { chmod, constants, copyFile, open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../errors.js'

const FILE_MODE = 0o600
const CHUNK = 1024 * 1024

const sizeOf = async (path: string): Promise<number | undefined> => {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK)
  const file = await open(path)
  try {
    for (;;) {
      const { bytesRead } = await file.read(chunk, 0, CHUNK)
      if (bytesRead === 0) return hash.digest('hex')
      hash.update(chunk.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

/** Has a file, or the names of a folder, on disk. */
export const flushPath = async (path: string): Promise<void> => {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Copies a file, sharing its blocks where the file system can (never as a hard link: an erasure in one must not reach the other), unless
 * the very same bytes are there already. The copy is there whole or not at all, its owner's only, and on disk with its name once the folder is flushed.
 * @returns how many bytes were copied
 * @throws what the file system reports; ENOENT when the file has gone
 */
export async function copyDurably(source: string, target: string, name: string): Promise<number> {
  const [from, to] = [join(source, name), join(target, name)]
  const size = (await stat(from)).size
  if ((await sizeOf(to)) === size && (await hashOf(from)) === (await hashOf(to))) return 0
  const temporary = `${to}.new`
  await copyFile(from, temporary, constants.COPYFILE_FICLONE)
  await chmod(temporary, FILE_MODE)
  await flushPath(temporary)
  await rename(temporary, to)
  return size
}
