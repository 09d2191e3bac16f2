// The settings without secrets, for operators.
import { isObject } from '../../events/values.js'
import { keyByPath } from './keys.js'
import type { Settings } from './settings.js'

const HIDDEN = '[redacted]'

/** The password in a URL, anywhere in a text. */
const PASSWORD = /(\/\/[^\s/:@]*:)[^\s/@]+@/g

const mapped = (group: Readonly<Record<string, unknown>>, map: (value: unknown, name: string) => unknown) =>
  Object.fromEntries(Object.entries(group).map(([name, value]) => [name, map(value, name)]))

/** Keeps the names of a map. @param shows fields of its values that are no secrets */
const hidden = (value: unknown, shows: readonly string[] = []): unknown =>
  isObject(value)
    ? mapped(value, each =>
        isObject(each) && shows.length > 0
          ? mapped(each, (inner, field) => (shows.includes(field) ? shown(inner, '') : HIDDEN))
          : HIDDEN
      )
    : HIDDEN

const shown = (value: unknown, path: string): unknown => {
  const { secret, shows } = keyByPath.get(path)?.notes ?? {}
  if (secret === true) return hidden(value, shows)
  if (typeof value === 'string') return value.replaceAll(PASSWORD, `$1${HIDDEN}@`)
  if (Array.isArray(value)) return value.map(one => shown(one, ''))
  return isObject(value)
    ? mapped(value, (inner, name) => shown(inner, path === '' ? name : `${path}.${name}`))
    : value
}

/** Named and nested as in the file, with durations in milliseconds. Unset keys are absent, and secrets are replaced. */
export const settingsViewOf = (settings: Settings): unknown => shown(settings, '')
