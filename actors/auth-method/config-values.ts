// Reads values of a Config. Scalars of similar types and single list items convert (spec: auth.md §1.5).
import type { AuthMethodConfigInput } from '../../events/auth-method.js'
import { invalidDuration, parseDuration } from '../../events/duration.js'
import { isObject } from '../../events/values.js'

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'slice' : typeof value === 'object' ? 'map' : typeof value

const wrong = (key: string, expected: string, value: unknown): ConfigError =>
  new ConfigError(`error decoding config: '${key}' expected a ${expected}, got '${kindOf(value)}'`)

const scalar = (key: string, value: unknown): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? '1' : '0'
  throw wrong(key, 'string', value)
}

/** Reads the values of one Config. Every method throws ConfigError for a value of another type. */
export class ConfigValues {
  /** @throws ConfigError for an unknown key */
  constructor(
    private readonly config: AuthMethodConfigInput,
    known: readonly string[]
  ) {
    const unknown = Object.keys(config).filter(key => !known.includes(key))
    if (unknown.length > 0)
      throw new ConfigError(`error decoding config: '' has invalid keys: ${unknown.toSorted().join(', ')}`)
  }

  isGiven(key: string): boolean {
    const value = this.config[key]
    if (value === undefined || value === null || value === '' || value === false || value === 0) return false
    return typeof value !== 'object' || Object.keys(value).length > 0
  }

  text(key: string): string {
    const value = this.config[key]
    return value === undefined || value === null ? '' : scalar(key, value)
  }

  list(key: string): readonly string[] {
    const value = this.config[key]
    if (value === undefined || value === null) return []
    if (Array.isArray(value)) return value.map((item: unknown) => scalar(key, item))
    if (isObject(value) && Object.keys(value).length === 0) return []
    return [scalar(key, value)]
  }

  map(key: string): ReadonlyMap<string, string> {
    const value = this.config[key]
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0))
      return new Map()
    if (!isObject(value)) throw wrong(key, 'map', value)
    return new Map(Object.entries(value).map(([name, item]) => [name, scalar(`${key}[${name}]`, item)]))
  }

  flag(key: string): boolean {
    const value = this.config[key]
    if (value === undefined || value === null || value === '') return false
    if (typeof value === 'boolean') return value
    if (typeof value === 'number') return value !== 0
    if (typeof value === 'string' && /^(1|t|true)$/i.test(value)) return true
    if (typeof value === 'string' && /^(0|f|false)$/i.test(value)) return false
    throw wrong(key, 'bool', value)
  }

  /** Nanoseconds: a whole number, also as text, or a duration such as `30s` (decisions.md 17). */
  nanoseconds(key: string): number {
    const value = this.config[key]
    if (value === undefined || value === null || value === '') return 0
    if (typeof value === 'number') return Math.trunc(value)
    if (typeof value === 'string' && /^[+-]?\d{1,19}$/.test(value)) return Number(value)
    if (typeof value !== 'string') throw wrong(key, 'number of nanoseconds or a duration', value)
    const duration = parseDuration(value)
    if (duration === undefined)
      throw new ConfigError(`error decoding config: '${key}': ${invalidDuration(value)}`)
    return duration
  }
}
