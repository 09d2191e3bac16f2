// Identities: what an auth method knows of who logs in, as selectors and templates see it (spec: auth.md §6, §7).
import type { AuthMethodType } from '../../events/auth-method.js'
import { map, object, string, strings, type Fields } from '../language/fields.js'

/** A verified identity. */
export interface Identity {
  /** What selectors select from: `value` and `list`, or `serviceaccount`. */
  readonly selectable: Readonly<Record<string, object>>
  /** What templates may put in, by name; in lower case, '' for a mapped claim that is missing. */
  readonly variables: ReadonlyMap<string, string>
}

const claims: Fields = { value: map(string), list: map(strings) }
const serviceAccount: Fields = {
  serviceaccount: object({ namespace: string, name: string, uid: string })
}

/** The fields that selectors of a method's rules may name. */
export const identityFields = (type: AuthMethodType): Fields =>
  type === 'kubernetes' ? serviceAccount : claims
