import pLimit from 'p-limit'
import { RequestRefused } from '../../typescript/failures.js'
import { recovery } from '../../../events/errors.js'
import { ANONYMOUS_ACCESSOR } from '../../../events/token.js'
import type { Kind } from './import-run.js'
import {
  essence,
  isBuiltIn,
  linksIn,
  refused,
  textIn,
  whyHidden,
  writableIn,
  type Row,
  type Resource
} from './resource.js'

/** Maximum of concurrent reads. */
const AT_ONCE = 16

/** Lists omit some fields, so resources are read one by one. */
interface Reading {
  readonly nameOf: (row: Row) => string
  readonly read: (row: Row) => Promise<Row | undefined>
  readonly resourceOf: (row: Row) => Resource
}

/** A resource that the server refuses to show cannot be imported. @throws Unreachable */
const readEach = async (
  rows: readonly Row[],
  { nameOf, read, resourceOf }: Reading
): Promise<readonly Resource[]> => {
  const limit = pLimit(AT_ONCE)
  const readOne = async (row: Row): Promise<readonly Resource[]> => {
    const found = await read(row)
    return found === undefined ? [] : [resourceOf(found)]
  }
  const readOrRefuse = (row: Row): Promise<readonly Resource[]> =>
    readOne(row).catch(recovery(RequestRefused, error => [refused(nameOf(row), error)]))
  return (await Promise.all(rows.map(row => limit(() => readOrRefuse(row))))).flat()
}

const hasSome = (value: unknown): boolean => Array.isArray(value) && value.length > 0

const withWhy = (resource: Resource, ...reasons: readonly (string | false | undefined)[]): Resource => {
  const cannot = reasons.find(reason => reason)
  return cannot ? { ...resource, cannot } : resource
}

const TEMPLATED = 'it has TemplatedPolicies, which are not known here: name its policies instead'

const byId =
  (path: string): Kind['writing'] =>
  ({ body }, there) => [
    { method: 'PUT', path: there?.id === undefined ? path : `${path}/${encodeURIComponent(there.id)}`, body }
  ]

export const policies: Kind = {
  name: 'policy',
  isNamespaced: true,
  read: async reader => {
    const rows = (await reader.list('/v1/acl/policies')).filter(row => !isBuiltIn(row))
    return readEach(rows, {
      nameOf: row => textIn(row, 'Name'),
      read: row => reader.one(`/v1/acl/policy/${textIn(row, 'ID')}`),
      resourceOf: row => ({ name: textIn(row, 'Name'), id: textIn(row, 'ID'), body: writableIn(row) })
    })
  },
  writing: byId('/v1/acl/policy')
}

export const roles: Kind = {
  name: 'role',
  isNamespaced: true,
  read: async reader =>
    (await reader.list('/v1/acl/roles')).map(row => {
      const { TemplatedPolicies, ...writable } = writableIn(row)
      const body = { ...writable, Policies: linksIn(row['Policies']) }
      return withWhy(
        { name: textIn(row, 'Name'), id: textIn(row, 'ID'), body },
        hasSome(TemplatedPolicies) && TEMPLATED
      )
    }),
  writing: byId('/v1/acl/role')
}

export const authMethods: Kind = {
  name: 'auth-method',
  isNamespaced: true,
  read: async reader => {
    const nameOf = (row: Row): string => textIn(row, 'Name')
    return readEach(await reader.list('/v1/acl/auth-methods'), {
      nameOf,
      read: row => reader.one(`/v1/acl/auth-method/${encodeURIComponent(nameOf(row))}`),
      resourceOf: row => {
        const body = writableIn(row)
        return withWhy({ name: nameOf(row), id: nameOf(row), body }, whyHidden(body))
      }
    })
  },
  writing: byId('/v1/acl/auth-method')
}

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

export const bindingRules: Kind = {
  name: 'binding-rule',
  isNamespaced: true,
  read: async reader =>
    (await reader.list('/v1/acl/binding-rules')).map(row => {
      const body = writableIn(row)
      const templated = textIn(row, 'BindType') === 'templated-policy' && TEMPLATED
      return withWhy({ name: ruleName(body), id: textIn(row, 'ID'), body }, templated)
    }),
  writing: byId('/v1/acl/binding-rule')
}

const LINKS = ['Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities'] as const

/** The anonymous token exists on every server, so only its permissions are imported. */
const anonymousOf = (
  name: string,
  { SecretID: _secret, Description: _description, ...writable }: Row
): Resource => {
  const isAsMade = !LINKS.some(field => hasSome(writable[field]))
  return { name, id: name, body: writable, ...(isAsMade ? { isAsMade } : {}) }
}

const tokenOf = (row: Row, now: number): Resource => {
  const { TemplatedPolicies, Rules, AuthMethod, AuthMethodNamespace: _, ...writable } = writableIn(row)
  const body: Row = { ...writable, Policies: linksIn(row['Policies']), Roles: linksIn(row['Roles']) }
  const accessor = textIn(row, 'AccessorID')
  if (accessor === ANONYMOUS_ACCESSOR) return anonymousOf(accessor, body)
  return withWhy(
    { name: accessor, id: accessor, body },
    Boolean(AuthMethod) && 'it was made by a login: who needs it logs in again',
    (Boolean(Rules) || row['Legacy'] === true) &&
      'it has rules of the legacy form of its own: make a policy of them',
    hasSome(TemplatedPolicies) && TEMPLATED,
    Date.parse(textIn(row, 'ExpirationTime')) < now && 'it has expired',
    textIn(row, 'SecretID') === '' && 'its secret is not shown',
    whyHidden(body)
  )
}

export const tokens: Kind = {
  name: 'token',
  isNamespaced: true,
  read: async reader => {
    const now = Date.now()
    const rows = await reader.list('/v1/acl/tokens')
    const resourceOf = (row: Row): Resource => tokenOf(row, now)
    const nameOf = (row: Row): string => textIn(row, 'AccessorID')
    // Versions before 1.11 omit the secrets from lists, and all versions omit the rules of legacy tokens.
    const isWhole = (row: Row): boolean => textIn(row, 'SecretID') !== '' && row['Legacy'] !== true
    const read = (row: Row): Promise<Row | undefined> => reader.one(`/v1/acl/token/${nameOf(row)}`)
    const others = rows.filter(row => !isWhole(row))
    return [
      ...rows.filter(isWhole).map(resourceOf),
      ...(await readEach(others, { nameOf, read, resourceOf }))
    ]
  },
  writing: byId('/v1/acl/token')
}
