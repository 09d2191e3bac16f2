// The version of the program.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version in package.json, which lies two folders above the built program. */
export const programVersion = (): string => {
  const about: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  const version: unknown =
    typeof about === 'object' && about !== null ? Reflect.get(about, 'version') : undefined
  return typeof version === 'string' ? version : 'unknown'
}
