import { Value } from 'typebox/value'
import type { Key } from './keys.js'
import { SettingsError } from './settings.js'

/** A value with its source, such as `in file /etc/annals.json`. */
export interface SettingValue {
  readonly key: Key
  readonly value: unknown
  readonly source: string
}

const SHOWN = 60

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

/** Returns the error for an invalid value. Secrets are not repeated. */
export const invalidSettingError = (
  { key, value, source }: SettingValue,
  rule = key.notes.rule,
  within = ''
): SettingsError =>
  new SettingsError(
    `${key.path}${within}, given ${source}, must ${rule}${key.notes.secret === true ? '' : `; it is ${shown(value)}`}`
  )

/** @throws SettingsError */
export const checkSettingValue = (given: SettingValue): void => {
  if (Value.Check(given.key.schema, given.value)) return
  const [first] = Value.Errors(given.key.schema, given.value)
  throw invalidSettingError(given, given.key.notes.rule, first?.instancePath.replaceAll('/', '.'))
}

/** Sets a value at a dotted path. */
export const putSetting = (tree: Record<string, unknown>, path: string, value: unknown): void => {
  const names = path.split('.')
  const last = names.pop() ?? path
  let place = tree
  for (const name of names) {
    const inner: Record<string, unknown> = { ...Object(place[name]) }
    place[name] = inner
    place = inner
  }
  place[last] = value
}
