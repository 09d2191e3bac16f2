// The Config of stored auth methods, for logins and binding rules.
import type { AuthMethod } from '../../events/auth-method.js'
import { recover } from '../../events/errors.js'
import type { Variables } from '../../projections/language/template.js'
import { invalid } from '../refusal.js'
import { ConfigError } from './config-values.js'
import { type AuthConfig, parseConfig } from './config.js'

/** @throws Refusal `invalid` for a Config that was valid when it was stored, such as one whose secret has been erased */
export const configOf = ({ Name, Type, Config }: AuthMethod): AuthConfig =>
  recover(
    () => parseConfig(Type, Config),
    ConfigError,
    ({ message }) => {
      throw invalid(
        'acl.auth-method.invalid',
        `auth method validator for "${Name}" could not be initialized: ${message}`
      )
    }
  )

const variablesOf = (config: AuthConfig): readonly string[] =>
  config.type === 'kubernetes'
    ? ['serviceaccount.namespace', 'serviceaccount.name', 'serviceaccount.uid']
    : [...config.claims.values.values()].map(name => `value.${name}`)

/** Returns a value for each variable of a method's templates, to check them before any login (spec: auth.md §7). */
export const placeholdersOf = (config: AuthConfig): Variables =>
  new Map(variablesOf(config).map(name => [name, 'fake']))
