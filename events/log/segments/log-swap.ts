// Replaces the folder of a closed log by another one. A crash leaves either folder complete.
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { flushPath } from './copy-file.js'

const asideOf = (folder: string): string => `${folder}.replaced`

/**
 * Has the log in `coming`, which must be whole and on disk, take the place of the one in `folder`, which is removed.
 * @throws what the file system reports
 */
export const swapLogFolders = async (folder: string, coming: string): Promise<void> => {
  const aside = asideOf(folder)
  await rm(aside, { recursive: true, force: true })
  await rename(folder, aside)
  await rename(coming, folder)
  await flushPath(dirname(folder))
  await rm(aside, { recursive: true, force: true })
}

/** Ends an exchange that a crash cut: from the moment on that the old folder went, the new one counts. One that had not begun is dropped. */
export const finishLogSwap = async (folder: string, coming: string): Promise<void> => {
  const aside = asideOf(folder)
  if (existsSync(folder)) await rm(coming, { recursive: true, force: true })
  else if (existsSync(aside) && existsSync(coming)) {
    await rename(coming, folder)
    await flushPath(dirname(folder))
  }
  await rm(aside, { recursive: true, force: true })
}
