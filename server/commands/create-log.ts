// Makes a log in a data folder that has none: completely, or not at all.
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { createFolders } from '../../events/log/create-folders.js'
import { flushPath } from '../../events/log/segments/copy-file.js'
import { keepNewNodeId, NODE_ID_FILE } from '../settings/node-id.js'
import { logFolder } from '../settings/settings.js'
import { UsageError } from '../../clients/cli/console.js'

const FOLDER_MODE = 0o700

/**
 * Has `make` build a log in a temporary folder, which is then renamed, or removed when `make` fails.
 * The folder gets a new node ID.
 * @throws UsageError when the data folder is not empty
 */
export const createLog = async <T>(dataDir: string, make: (folder: string) => Promise<T>): Promise<T> => {
  const isThere = existsSync(dataDir)
  const names = isThere ? (await readdir(dataDir)).filter(name => name !== NODE_ID_FILE) : []
  if (names.length > 0)
    throw new UsageError(
      `${dataDir} is not empty (${names.join(', ')}): a log is only made in a new data folder`
    )
  await createFolders(dataDir, FOLDER_MODE)
  const folder = `${logFolder(dataDir)}.new`
  try {
    await mkdir(folder, { mode: FOLDER_MODE })
    const made = await make(folder)
    // A copy of a server is another server.
    keepNewNodeId(dataDir)
    await rename(folder, logFolder(dataDir))
    await flushPath(dataDir)
    return made
  } catch (error) {
    await rm(isThere ? folder : dataDir, { recursive: true, force: true })
    throw error
  }
}
