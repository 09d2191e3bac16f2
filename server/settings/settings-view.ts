// The settings as they may be shown to whoever looks after a server: every key, and no secret.
import { keyByPath } from './keys.js'
import type { Settings } from './settings.js'

const HIDDEN = '[redacted]'

/** The password in a URL, wherever in a text that stands. */
const PASSWORD = /(\/\/[^\s/:@]*:)[^\s/@]+@/g

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const mapped = (group: Readonly<Record<string, unknown>>, map: (value: unknown, name: string) => unknown) =>
  Object.fromEntries(Object.entries(group).map(([name, value]) => [name, map(value, name)]))

/** Of a map the names are shown, since they say what there is. @param shows fields of what it maps to that are no secrets */
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

/** Named and nested as in the file; durations are milliseconds. What is not set is absent, and of what is secret only that it is set is told. */
export const settingsViewOf = (settings: Settings): unknown => shown(settings, '')
