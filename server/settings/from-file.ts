import { rethrowAs } from '../../events/errors.js'
import { isObject } from '../../events/values.js'
import { readFileSync } from 'node:fs'
import { HclError, readHcl, type Content } from './hcl/read-hcl.js'
import type { SettingValue } from './setting-value.js'
import { keyByPath, nearestKey } from './keys.js'
import { SettingsError } from './settings.js'

const sections: ReadonlySet<string> = new Set(
  [...keyByPath.keys()].flatMap(path =>
    path.split('.').flatMap((_, index, parts) => (index === 0 ? [] : [parts.slice(0, index).join('.')]))
  )
)

/** Returns the line and column of a JSON syntax error. Its own message may quote a secret. */
const placeOf = (error: unknown, content: string): string => {
  const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined
  if (position === undefined) return ''
  const before = content.slice(0, Number(position)).split('\n')
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`
}

/** Runs a read of a configuration file or folder. @throws SettingsError with the code of the system's error */
export const readConfiguration = <T>(path: string, read: () => T): T => {
  try {
    return read()
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be opened'
    throw new SettingsError(`configuration file ${path} cannot be read: ${reason}`, { cause: error })
  }
}

/** @param fault completes the error "configuration file PATH is …" @throws SettingsError */
export const readHclFile = (path: string, fault: string): Content => {
  const text = readConfiguration(path, () => readFileSync(path, 'utf8'))
  return rethrowAs(
    () => readHcl(text),
    HclError,
    message => new SettingsError(`configuration file ${path} is ${fault}: ${message}`)
  )
}

const parse = (path: string): unknown => {
  if (path.endsWith('.hcl')) return readHclFile(path, 'not valid HCL')
  const content = readConfiguration(path, () => readFileSync(path, 'utf8'))
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new SettingsError(`configuration file ${path} is not valid JSON${placeOf(error, content)}`)
  }
}

/** @throws SettingsError for an unreadable file or an unknown key */
export const fromFile = (path: string): readonly SettingValue[] => {
  const source = `in file ${path}`
  const collect = (value: Readonly<Record<string, unknown>>, prefix: string): readonly SettingValue[] =>
    Object.entries(value).flatMap(([name, inner]) => {
      const place = prefix + name
      const key = keyByPath.get(place)
      if (key !== undefined) return [{ key, value: inner, source }]
      if (!sections.has(place)) {
        const near = nearestKey(place, [...keyByPath.keys(), ...sections])
        const hint = near === undefined ? '' : `; did you mean ${near}?`
        throw new SettingsError(`unknown key ${place} ${source}${hint}`)
      }
      if (!isObject(inner))
        throw new SettingsError(`${place}, given ${source}, must be a JSON object of keys`)
      return collect(inner, `${place}.`)
    })
  const content = parse(path)
  if (!isObject(content)) throw new SettingsError(`configuration file ${path} must hold a JSON object`)
  return collect(content, '')
}
