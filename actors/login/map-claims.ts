// From claims to an identity: which claims selectors and templates see, and under which names (spec: auth.md §2.3).
import type { Identity } from '../../projections/acl/identity.js'
import type { ClaimRules } from '../auth-method/config.js'
import type { Claims } from './check-claims.js'
import { LoginDenied } from './login-denied.js'
import { isObject } from './provider-http.js'

/** One step of a JSON pointer into a value; undefined where it leads nowhere. */
const descend = (value: unknown, part: string): unknown => {
  const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** A claim by its literal name, or by a JSON pointer (RFC 6901) when it begins with a slash. */
const claimAt = (claims: Claims, name: string): unknown => {
  if (!name.startsWith('/')) return Object.hasOwn(claims, name) ? claims[name] : undefined
  return name.slice(1).split('/').reduce(descend, claims)
}

/** The text of a scalar; numbers are cut to whole ones. Undefined for anything else. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return typeof value === 'number' ? BigInt(Math.trunc(value)).toString() : undefined
}

const unmappable = (claim: string): LoginDenied =>
  new LoginDenied(`error converting claim '${claim}' to string from unknown type`)

const single = (claim: string, value: unknown): string => {
  const text = textOf(value)
  if (text === undefined) throw unmappable(claim)
  return text
}

/** A single value stands for a list of one. Empty texts are dropped. */
const many = (claim: string, value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).map(item => single(claim, item)).filter(text => text !== '')

/** What is there of the mapped claims, by the names they are mapped to. */
const mapped = <T>(
  claims: Claims,
  mappings: ReadonlyMap<string, string>,
  read: (claim: string, value: unknown) => T
): Map<string, T> => {
  const found = new Map<string, T>()
  for (const [claim, name] of mappings) {
    const value = claimAt(claims, claim)
    if (value !== undefined && value !== null) found.set(name, read(claim, value))
  }
  return found
}

/** @throws LoginDenied for a claim that cannot be a text, or a list of texts */
export const identityOf = (claims: Claims, rules: ClaimRules): Identity => {
  const values = mapped(claims, rules.values, single)
  const lists = mapped(claims, rules.lists, many)
  return {
    selectable: { value: Object.fromEntries(values), list: Object.fromEntries(lists) },
    variables: new Map(
      [...rules.values.values()].map(name => [`value.${name}`, (values.get(name) ?? '').toLowerCase()])
    )
  }
}
