import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_FOLDER } from './program-files.js'
import { isObject } from './values.js'

/** Clients compare it to select features (decisions.md 32). */
export const COMPATIBLE_VERSION = '1.10.11'

/** Reads package.json. */
export const programVersion = (): string => {
  const about: unknown = JSON.parse(readFileSync(join(PACKAGE_FOLDER, 'package.json'), 'utf8'))
  const version = isObject(about) ? about['version'] : undefined
  return typeof version === 'string' ? version : 'unknown'
}

/** Output of `annals version`. */
export const versionText = (): string => `annals ${programVersion()} (node ${process.version})`
