// Names on disk.
import { open } from 'node:fs/promises'

/** Has the names of a folder on disk. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
