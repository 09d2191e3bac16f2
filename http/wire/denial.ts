// The text of a denial, and the question that it answered (spec: decisions.md 26).
import { Refusal } from '../../actors/refusal.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'

/** A permission that somebody lacks. */
export interface Denied {
  readonly accessor: string
  /** As in `key:write`. */
  readonly permission: string
  /** Name of the thing; '' where the permission says it all; null: every thing, whatever its name. */
  readonly on: string | null
  /** An empty name stands for every namespace, or partition. */
  readonly tenancy: Tenancy
}

/** `kind` in quotes with its name, behind the word that leads to it. */
const placed = (word: string, kind: 'namespace' | 'partition', name: string): string => {
  if (name === DEFAULT_TENANCY[kind]) return ''
  return name === '' ? ` ${word} every ${kind}` : ` ${word} ${kind} "${name}"`
}

/** The refusal: who lacks which permission, on what, and where if it is not in `default`. */
export const denial = ({ accessor, permission, on, tenancy }: Denied): Refusal => {
  const resource = on === null ? ' on everything' : on === '' ? '' : ` on ${JSON.stringify(on)}`
  const namespace = placed('in', 'namespace', tenancy.namespace)
  const partition = placed('of', 'partition', tenancy.partition)
  return new Refusal(
    'denied',
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

/** What a text of `denial` says; undefined for any other text. */
export const readDenial = (text: string): Denied | undefined => {
  const found = DENIAL.exec(text)
  if (!found) return undefined
  const [, accessor = '', permission = '', on, namespace, partition] = found
  const tenancy = { partition: nameOf('partition', partition), namespace: nameOf('namespace', namespace) }
  return { accessor, permission, on: resourceOf(on), tenancy }
}
