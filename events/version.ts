// The version that the program is, and the one that it behaves like.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Existing clients compare it to decide what they may use (decisions.md 32). */
export const COMPATIBLE_VERSION = '1.10.11'

/** The version in package.json, which lies two folders above the built program. */
export const programVersion = (): string => {
  const about: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  const version: unknown =
    typeof about === 'object' && about !== null ? Reflect.get(about, 'version') : undefined
  return typeof version === 'string' ? version : 'unknown'
}

/** What `annals version` prints. */
export const versionText = (): string => `annals ${programVersion()} (node ${process.version})`
