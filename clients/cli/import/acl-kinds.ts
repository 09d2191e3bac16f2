import { RequestRefused } from '../../typescript/failures.js'
import { recovery } from '../../../events/errors.js'
import { ANONYMOUS_ACCESSOR } from '../../../events/token.js'
import type { Kind } from './import-run.js'
import { ACL_LISTS, type Listing, readListed } from './reader.js'
import {
  essence,
  linksIn,
  refused,
  textIn,
  whyHidden,
  writableIn,
  type Row,
  type Resource
} from './resource.js'

const hasSome = (value: unknown): boolean => Array.isArray(value) && value.length > 0

const withWhy = (resource: Resource, ...reasons: readonly (string | false | undefined)[]): Resource => {
  const cannot = reasons.find(reason => reason)
  return cannot ? { ...resource, cannot } : resource
}

const TEMPLATED = 'it has TemplatedPolicies, which are not known here: name its policies instead'

/** A resource that the server refuses to show cannot be imported. */
const kindOf = (
  name: string,
  listed: Listing & { readonly path: string; readonly idField: string },
  resourceOf: (row: Row, id: string) => Resource
): Kind => {
  const { path, idField } = listed
  const idOf = (row: Row): string => textIn(row, idField)
  return {
    name,
    isNamespaced: true,
    read: reader =>
      readListed(reader, listed, (read, entry) => {
        const hidden = recovery(RequestRefused, error => refused(textIn(entry, 'Name') || idOf(entry), error))
        return read.then(row => row && resourceOf(row, idOf(row))).catch(hidden)
      }),
    writing: ({ body }, there) => [
      {
        method: 'PUT',
        path: there?.id === undefined ? path : `${path}/${encodeURIComponent(there.id)}`,
        body
      }
    ]
  }
}

export const policies = kindOf('policy', ACL_LISTS.policy, (row, id) => ({
  name: textIn(row, 'Name'),
  id,
  body: writableIn(row)
}))

export const roles = kindOf('role', ACL_LISTS.role, (row, id) => {
  const { TemplatedPolicies, ...writable } = writableIn(row)
  const body = { ...writable, Policies: linksIn(row['Policies']) }
  return withWhy({ name: textIn(row, 'Name'), id, body }, hasSome(TemplatedPolicies) && TEMPLATED)
})

export const authMethods = kindOf('auth-method', ACL_LISTS['auth-method'], (row, id) => {
  const body = writableIn(row)
  return withWhy({ name: id, id, body }, whyHidden(body))
})

/** A binding rule has no name, so all its fields together identify it. */
const ruleName = (rule: Row): string => {
  const { AuthMethod: _method, BindType: _type, BindName: _bound, Selector: _selector, ...others } = rule
  const [method, type, bound, selector] = ['AuthMethod', 'BindType', 'BindName', 'Selector'].map(field =>
    textIn(rule, field)
  )
  const name = `${method}: ${type} ${bound} if ${selector}`
  const rest = JSON.stringify(essence(others))
  return rest === '[]' ? name : `${name} ${rest}`
}

export const bindingRules = kindOf('binding-rule', ACL_LISTS['binding-rule'], (row, id) => {
  const body = writableIn(row)
  const templated = textIn(row, 'BindType') === 'templated-policy' && TEMPLATED
  return withWhy({ name: ruleName(body), id, body }, templated)
})

const LINKS = ['Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities'] as const

/** The anonymous token exists on every server, so only its permissions are imported. */
const anonymousOf = (
  name: string,
  { SecretID: _secret, Description: _description, ...writable }: Row
): Resource => {
  const isAsMade = !LINKS.some(field => hasSome(writable[field]))
  return { name, id: name, body: writable, ...(isAsMade ? { isAsMade } : {}) }
}

export const tokens = kindOf('token', ACL_LISTS.token, (row, accessor) => {
  const { TemplatedPolicies, Rules, AuthMethod, AuthMethodNamespace: _, ...writable } = writableIn(row)
  const body: Row = { ...writable, Policies: linksIn(row['Policies']), Roles: linksIn(row['Roles']) }
  if (accessor === ANONYMOUS_ACCESSOR) return anonymousOf(accessor, body)
  return withWhy(
    { name: accessor, id: accessor, body },
    Boolean(AuthMethod) && 'it was made by a login: who needs it logs in again',
    (Boolean(Rules) || row['Legacy'] === true) &&
      'it has rules of the legacy form of its own: make a policy of them',
    hasSome(TemplatedPolicies) && TEMPLATED,
    Date.parse(textIn(row, 'ExpirationTime')) < Date.now() && 'it has expired',
    textIn(row, 'SecretID') === '' && 'its secret is not shown',
    whyHidden(body)
  )
})
