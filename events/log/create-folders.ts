// Makes a folder and those above it.
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode } from '../errors.js'

/** Whether it was made; false when it was there. @throws what the file system reports: EEXIST where a file has its name */
const isMade = async (path: string, mode: number): Promise<boolean> => {
  try {
    await mkdir(path, { mode })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST') && (await stat(path)).isDirectory()) return false
    throw error
  }
}

/**
 * Makes a folder, and those above it that are missing. In place of Node's own `recursive`, which never ends where a file system takes no
 * folders and says that there is none of that name, as /proc does.
 * @returns the uppermost one that was made; undefined when the folder was there
 * @throws what the file system reports
 */
export async function createFolders(path: string, mode: number): Promise<string | undefined> {
  try {
    return (await isMade(path, mode)) ? path : undefined
  } catch (error) {
    const above = dirname(path)
    if (!hasCode(error, 'ENOENT') || above === path) throw error
    const first = await createFolders(above, mode)
    return (await isMade(path, mode)) ? (first ?? path) : first
  }
}
