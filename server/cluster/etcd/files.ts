// Files of a machine of the cluster: only their owner reads them.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** Creates a folder that only its owner enters, and its parents. */
export const createFolder = (path: string): void =>
  void mkdirSync(path, { recursive: true, mode: FOLDER_MODE })

/** Creates or replaces a file that only its owner reads, with a flush. A crash leaves the former file or the new one. */
export const replaceFile = (path: string, content: string): void => {
  createFolder(dirname(path))
  const temporary = `${path}.new`
  writeFileSync(temporary, content, { mode: FILE_MODE, flush: true })
  renameSync(temporary, path)
}
