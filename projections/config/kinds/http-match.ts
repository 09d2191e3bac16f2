// Conditions on HTTP requests, in routers and intentions (spec: config.md §3, §4.3).
import type { PermissionHttp } from '../../../events/config/access.js'
import type { HeaderMatch } from '../../../events/config/parts.js'
import { ConfigError } from '../../../events/config/fields/decoder.js'

const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE'
])

export const countPresent = (...values: readonly (string | boolean | undefined)[]): number =>
  values.filter(Boolean).length

export const checkPath = ({ PathExact, PathPrefix, PathRegex }: PermissionHttp, path: string): void => {
  if (PathExact !== undefined && !PathExact.startsWith('/'))
    throw new ConfigError(`field "${path}.PathExact" must start with "/"`)
  if (PathPrefix !== undefined && !PathPrefix.startsWith('/'))
    throw new ConfigError(`field "${path}.PathPrefix" must start with "/"`)
  if (countPresent(PathExact, PathPrefix, PathRegex) > 1)
    throw new ConfigError(`"${path}" may have only one of PathExact, PathPrefix and PathRegex`)
}

export const checkHeaders = (headers: readonly HeaderMatch[] = [], path: string): void => {
  for (const [i, { Name, Present, Exact, Prefix, Suffix, Regex }] of headers.entries()) {
    const at = `${path}.Header[${i}]`
    if (Name === '') throw new ConfigError(`field "${at}.Name" is required`)
    if (countPresent(Present, Exact, Prefix, Suffix, Regex) !== 1)
      throw new ConfigError(`"${at}" must have exactly one of Present, Exact, Prefix, Suffix and Regex`)
  }
}

export const checkMethods = (methods: readonly string[] = [], path: string): void => {
  const seen = new Set<string>()
  for (const name of methods) {
    if (!METHODS.has(name)) throw new ConfigError(`field "${path}.Methods" has the unknown method "${name}"`)
    if (seen.has(name)) throw new ConfigError(`field "${path}.Methods" has "${name}" more than once`)
    seen.add(name)
  }
}
