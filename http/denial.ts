// The text of a denial, and the question that it answered (spec: decisions.md 26).
import { Refusal } from '../actors/refusal.js'
import { DEFAULT_TENANCY, type Tenancy } from '../events/envelope.js'

/** A permission that somebody lacks. */
export interface Denied {
  readonly accessor: string
  /** As in `key:write`. */
  readonly permission: string
  /** Name of the thing; '' where the permission says it all. */
  readonly on: string
  readonly tenancy: Tenancy
}

/** The refusal: who lacks which permission, on what, and where if it is not in `default`. */
export const denial = ({ accessor, permission, on, tenancy }: Denied): Refusal => {
  const thing = on === '' ? '' : ` on "${on}"`
  const namespace = tenancy.namespace === 'default' ? '' : ` in namespace "${tenancy.namespace}"`
  const partition = tenancy.partition === 'default' ? '' : ` of partition "${tenancy.partition}"`
  return new Refusal(
    'denied',
    `Permission denied: token with AccessorID '${accessor}' lacks permission '${permission}'${thing}${namespace}${partition}`
  )
}

const DENIAL =
  /token with AccessorID '([^']*)' lacks permission '([^']*)'(?: on "([^]*?)")?(?: in namespace "([^"]*)")?(?: of partition "([^"]*)")?\s*$/

/** What a text of `denial` says; undefined for any other text. */
export const readDenial = (text: string): Denied | undefined => {
  const found = DENIAL.exec(text)
  if (!found) return undefined
  const [, accessor = '', permission = '', on = '', namespace, partition] = found
  const tenancy = {
    partition: partition ?? DEFAULT_TENANCY.partition,
    namespace: namespace ?? DEFAULT_TENANCY.namespace
  }
  return { accessor, permission, on, tenancy }
}
