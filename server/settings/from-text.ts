import { parseJson } from '../../events/values.js'
import * as Type from 'typebox'
import { isClientVariable } from './client-variables.js'
import { invalidSettingError, type SettingValue } from './setting-value.js'
import { ENV_PREFIX, keyByEnv, keyByFlag, nearestKey, type Key } from './keys.js'
import { SettingsError } from './settings.js'

/** Names the configuration file if no flag does. */
export const CONFIG_ENV = `${ENV_PREFIX}CONFIG`

/** Ignored: variables of the test suite, and those that Kubernetes sets for a service named `annals`. */
const FOREIGN =
  /^ANNALS_((CRASH|TEST|BENCH|FUZZ)_|(.*_)?SERVICE_(HOST|PORT)(_|$)|(.*_)?PORT_\d+_(TCP|UDP|SCTP)(_|$))/
const LINK = /^(tcp|udp|sctp):\/\//

const TRUTHS: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false }

/** Converts a text to the type of the key. An invalid text is returned unchanged and rejected by the key's rule. */
const valueOf = (schema: Type.TSchema, text: string): unknown => {
  if (Type.IsBoolean(schema)) return TRUTHS[text] ?? text
  if (Type.IsInteger(schema) || Type.IsUnion(schema)) return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (Type.IsNumber(schema)) return /^\d{0,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text
  if (Type.IsRecord(schema)) return parseJson(text) ?? text
  if (!Type.IsArray(schema)) return text
  return text.startsWith('[') ? (parseJson(text) ?? text) : text.split(',').map(part => part.trim())
}

const given = (key: Key, text: string, source: string): SettingValue => {
  const value = valueOf(key.schema, text)
  const setting = { key, value, source }
  if (typeof value === 'string' && Type.IsRecord(key.schema))
    throw invalidSettingError(setting, `be written as JSON here and ${key.notes.rule}`)
  return setting
}

/** Returns `ANNALS_*` variables. Skips empty ones, and those of clients, Kubernetes and tests. @throws SettingsError for an unknown variable */
export const fromEnvironment = (env: Readonly<Record<string, string | undefined>>): readonly SettingValue[] =>
  Object.entries(env).flatMap(([name, text]) => {
    if (!name.startsWith(ENV_PREFIX) || name === CONFIG_ENV || text === undefined || text === '') return []
    const key = keyByEnv.get(name)
    if (key !== undefined) return [given(key, text, `by environment variable ${name}`)]
    if (isClientVariable(name) || FOREIGN.test(name) || (name.endsWith('_PORT') && LINK.test(text))) return []
    const near = nearestKey(name, keyByEnv.keys())
    throw new SettingsError(
      `unknown environment variable ${name}${near === undefined ? '' : `; did you mean ${near}?`}`
    )
  })

/** @param flags by name without dashes @throws SettingsError for an unknown flag */
export const fromFlags = (flags: Readonly<Record<string, string | undefined>>): readonly SettingValue[] =>
  Object.entries(flags).flatMap(([name, text]) => {
    if (text === undefined) return []
    const key = keyByFlag.get(name)
    if (key !== undefined) return [given(key, text, `by flag --${name}`)]
    const near = nearestKey(name, keyByFlag.keys())
    throw new SettingsError(`unknown flag --${name}${near === undefined ? '' : `; did you mean --${near}?`}`)
  })
