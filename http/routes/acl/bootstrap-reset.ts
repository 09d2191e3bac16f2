// The file by which an administrator allows a second bootstrap (spec: acl.md §2.3).
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

const FILE = 'acl-bootstrap-reset'

/** The number that the file begins with; undefined when there is no file or it begins with none, or with 0. */
export const readResetIndex = async (dataDir: string): Promise<number | undefined> => {
  let text: string
  try {
    text = await readFile(join(dataDir, FILE), 'utf8')
  } catch {
    return undefined
  }
  const digits = /^\s*(\d{1,15})/.exec(text)?.[1]
  return Number(digits ?? 0) || undefined
}

/** Removes the file: what it allowed is used up. */
export const clearResetIndex = (dataDir: string): Promise<void> => rm(join(dataDir, FILE), { force: true })
