// The ID of the server's node: random and stored in the data folder, unless configured.
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../events/errors.js'
import { logFolder, type Settings, SettingsError } from './settings.js'

export const NODE_ID_FILE = 'node-id'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** Formats a UUID of version 8, whose bits have no meaning. @param hex at least 32 digits */
const uuidOf = (hex: string): string =>
  hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')

/** Earlier versions derived the ID, and did not store it. */
const derived = (datacenter: string, node: string): string =>
  uuidOf(createHash('sha256').update(`${datacenter}\n${node}`).digest('hex'))

/** IDs of this process that are not stored yet, so that a reload finds the same ones. */
const made = new Map<string, string>()

/** @throws SettingsError for a file without an ID */
const kept = (path: string): string | undefined => {
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (UUID.test(text)) return text
    throw new SettingsError(
      `data_dir: ${path} holds ${JSON.stringify(text.slice(0, 80))} in place of a UUID in lower case; write the former ID of this server there, or set node_id and remove the file`
    )
  } catch (error) {
    if (error instanceof SettingsError) throw error
    return undefined
  }
}

/** Returns the stored or future ID of a data folder. A log without an ID keeps the derived ID of earlier versions. */
export const nodeIdOf = (dataDir: string, datacenter: string, node: string): string => {
  const found = kept(join(dataDir, NODE_ID_FILE))
  if (found !== undefined) return found
  if (existsSync(logFolder(dataDir))) return derived(datacenter, node)
  const key = JSON.stringify([dataDir, datacenter, node])
  const id = made.get(key) ?? uuidOf(randomBytes(16).toString('hex'))
  made.set(key, id)
  return id
}

/** Stores the ID in a data folder without one, atomically. */
export const keepNodeId = ({ data_dir, node_id }: Pick<Settings, 'data_dir' | 'node_id'>): void => {
  const path = join(data_dir, NODE_ID_FILE)
  if (existsSync(path)) return
  mkdirSync(data_dir, { recursive: true, mode: FOLDER_MODE })
  const written = `${path}.${process.pid}`
  writeFileSync(written, `${node_id}\n`, { mode: FILE_MODE, flush: true })
  try {
    linkSync(written, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    rmSync(written)
  }
}

export const keepNewNodeId = (dataDir: string): void => {
  rmSync(join(dataDir, NODE_ID_FILE), { force: true })
  keepNodeId({ data_dir: dataDir, node_id: uuidOf(randomBytes(16).toString('hex')) })
}
