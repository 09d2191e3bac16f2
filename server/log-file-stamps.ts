// What tells whether a file of a log is the one that it was: it is another after each write, and when one is put in its place.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogFileStamp } from '../actors/erasure/erasure-checkpoint.js'
import { hasCode } from '../events/errors.js'

/** Segments, packs and the secrets beside these. */
const NAME = /^(\d{16})-\d+\.(?:seg|pack|secrets)$/

/** The files of the log in a folder by the first commit of each segment, ascending; none where there is no folder. */
export const logFileStampsIn = async (folder: string): Promise<readonly LogFileStamp[]> => {
  const stamps = new Map<number, string>()
  for (const name of (await namesIn(folder)).toSorted()) {
    const [, first] = NAME.exec(name) ?? []
    if (first === undefined) continue
    const index = Number(first)
    stamps.set(index, `${stamps.get(index) ?? ''}${name} ${await stampOf(join(folder, name))};`)
  }
  return [...stamps].map(([first, stamp]) => ({ first, stamp })).toSorted((a, b) => a.first - b.first)
}

const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** When its bytes or its name last changed is for the file system alone to set. */
const stampOf = async (path: string): Promise<string> => {
  try {
    const { dev, ino, ctimeNs, size } = await stat(path, { bigint: true })
    return `${dev}.${ino}.${ctimeNs}.${size}`
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'gone'
    throw error
  }
}
