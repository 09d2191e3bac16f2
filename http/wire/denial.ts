// Formatting and parsing of the text of a denial (spec: decisions.md 26).
import { Refusal } from '../../actors/refusal.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import type { MissingPermission } from '../audit/denied-attempt.js'

export interface Denied extends MissingPermission {
  readonly accessor: string
}

/** Formats a namespace or partition with a preposition; '' for `default`. */
const tenancyClause = (word: string, kind: 'namespace' | 'partition', name: string): string => {
  if (name === DEFAULT_TENANCY[kind]) return ''
  return name === '' ? ` ${word} every ${kind}` : ` ${word} ${kind} "${name}"`
}

/** Creates the refusal that names the token, the missing permission, the resource, and the tenancy unless it is `default`. */
export const denial = ({ accessor, permission, on, tenancy }: Denied): Refusal => {
  const resource = on === null ? ' on everything' : on === '' ? '' : ` on ${JSON.stringify(on)}`
  const namespace = tenancyClause('in', 'namespace', tenancy.namespace)
  const partition = tenancyClause('of', 'partition', tenancy.partition)
  return new Refusal(
    'acl.permission.denied',
    `Permission denied: token with AccessorID '${accessor}' lacks permission '${permission}'${resource}${namespace}${partition}`
  )
}

const DENIAL =
  /token with AccessorID '([^']*)' lacks permission '([^']*)'(?: on (everything|"(?:[^"\\]|\\.)*"))?(?: in (every namespace|namespace "[^"]*"))?(?: of (every partition|partition "[^"]*"))?\s*$/

const resourceOf = (found: string | undefined): string | null => {
  if (found === undefined) return ''
  if (found === 'everything') return null
  try {
    const name: unknown = JSON.parse(found)
    return String(name)
  } catch {
    return ''
  }
}

const nameOf = (kind: 'namespace' | 'partition', found: string | undefined): string => {
  if (found === undefined) return DEFAULT_TENANCY[kind]
  return found === `every ${kind}` ? '' : found.slice(kind.length + 2, -1)
}

/** Parses a text of `denial`; undefined for any other text. */
export const readDenial = (text: string): Denied | undefined => {
  const found = DENIAL.exec(text)
  if (!found) return undefined
  const [, accessor = '', permission = '', on, namespace, partition] = found
  const tenancy = { partition: nameOf('partition', partition), namespace: nameOf('namespace', namespace) }
  return { accessor, permission, on: resourceOf(on), tenancy }
}
