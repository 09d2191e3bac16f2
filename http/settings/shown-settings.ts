// The settings as they may be shown to whoever looks after a server: every key, and no secret.
import { keyByPath } from './keys.js'
import type { Settings } from './settings.js'

const HIDDEN = '[redacted]'

/** The password in a URL, wherever in a text that stands. */
const PASSWORD = /(\/\/[^\s/:@]*:)[^\s/@]+@/g

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of a map the names are shown, since they say what there is. */
const hidden = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.keys(value).map(name => [name, HIDDEN])) : HIDDEN

const shown = (value: unknown, path: string): unknown => {
  if (keyByPath.get(path)?.notes.secret === true) return hidden(value)
  if (typeof value === 'string') return value.replaceAll(PASSWORD, `$1${HIDDEN}@`)
  if (Array.isArray(value)) return value.map(one => shown(one, ''))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, shown(inner, path === '' ? name : `${path}.${name}`)])
  )
}

/** Named and nested as in the file; durations are milliseconds. What is not set is absent, and of what is secret only that it is set is told. */
export const shownSettings = (settings: Settings): unknown => shown(settings, '')
