// Policies, roles, auth methods, binding rules and tokens.
import pLimit from 'p-limit'
import { ANONYMOUS_ACCESSOR } from '../../../events/token.js'
import type { Kind } from './kind.js'
import type { Reader } from './reader.js'
import { givenIn, linksIn, textIn, whyHidden, type Row, type Thing } from './thing.js'

/** Requests for single things that are under way at a time. */
const AT_ONCE = 16
/** What servers make by themselves: `global-management` and `builtin/…`. */
const isBuiltIn = (row: Row): boolean => /^00000000-0000-0000-0000-0000000000\d\d$/.test(textIn(row, 'ID'))

/** Things of which a list does not tell everything. */
const readEach = async (
  rows: readonly Row[],
  read: (row: Row) => Promise<Row | undefined>
): Promise<readonly Row[]> => {
  const limit = pLimit(AT_ONCE)
  const all = await Promise.all(rows.map(row => limit(() => read(row))))
  return all.filter(row => row !== undefined)
}

const hasSome = (value: unknown): boolean => Array.isArray(value) && value.length > 0

const withWhy = (thing: Thing, ...reasons: readonly (string | false | undefined)[]): Thing => {
  const cannot = reasons.find(reason => reason)
  return cannot ? { ...thing, cannot } : thing
}

const TEMPLATED = 'it has TemplatedPolicies, which are not known here: name its policies instead'

/** `/path/ID` for what is there, and the path of new ones for what is not. */
const byId = (path: string, { body }: Thing, there: Thing | undefined) => [
  {
    method: 'PUT',
    path: there?.id === undefined ? path : `${path}/${encodeURIComponent(there.id)}`,
    body
  } as const
]

export const policies: Kind = {
  name: 'policy',
  isNamespaced: true,
  read: async reader => {
    const rows = (await reader.list('/v1/acl/policies')).filter(row => !isBuiltIn(row))
    const all = await readEach(rows, row => reader.one(`/v1/acl/policy/${textIn(row, 'ID')}`))
    return all.map(row => ({ name: textIn(row, 'Name'), id: textIn(row, 'ID'), body: givenIn(row) }))
  },
  writing: (thing, there) => byId('/v1/acl/policy', thing, there)
}

export const roles: Kind = {
  name: 'role',
  isNamespaced: true,
  read: async reader =>
    (await reader.list('/v1/acl/roles')).map(row => {
      const { TemplatedPolicies, ...given } = givenIn(row)
      const body = { ...given, Policies: linksIn(row['Policies']) }
      return withWhy(
        { name: textIn(row, 'Name'), id: textIn(row, 'ID'), body },
        hasSome(TemplatedPolicies) && TEMPLATED
      )
    }),
  writing: (thing, there) => byId('/v1/acl/role', thing, there)
}

export const authMethods: Kind = {
  name: 'auth-method',
  isNamespaced: true,
  read: async reader => {
    const pathOf = (row: Row): string => `/v1/acl/auth-method/${encodeURIComponent(textIn(row, 'Name'))}`
    const all = await readEach(await reader.list('/v1/acl/auth-methods'), row => reader.one(pathOf(row)))
    return all.map(row => {
      const body = givenIn(row)
      const name = textIn(row, 'Name')
      return withWhy({ name, id: name, body }, whyHidden(body))
    })
  },
  writing: (thing, there) => byId('/v1/acl/auth-method', thing, there)
}

export const bindingRules: Kind = {
  name: 'binding-rule',
  isNamespaced: true,
  read: async reader =>
    (await reader.list('/v1/acl/binding-rules')).map(row => {
      // It has no name: what it says is what it is.
      const [method, type, bound, selector] = ['AuthMethod', 'BindType', 'BindName', 'Selector'].map(field =>
        textIn(row, field)
      )
      const templated = type === 'templated-policy' && TEMPLATED
      const thing = {
        name: `${method}: ${type} ${bound} if ${selector}`,
        id: textIn(row, 'ID'),
        body: givenIn(row)
      }
      return withWhy(thing, templated)
    }),
  writing: (thing, there) => byId('/v1/acl/binding-rule', thing, there)
}

const LINKS = ['Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities'] as const

/** The token of who presents none is there on every server: only what it may do is imported. */
const anonymousOf = (
  name: string,
  { SecretID: _secret, Description: _description, ...given }: Row
): Thing => {
  const isAsMade = !LINKS.some(field => hasSome(given[field]))
  return { name, id: name, body: given, ...(isAsMade ? { isAsMade } : {}) }
}

const tokenOf = (row: Row, now: number): Thing => {
  const { TemplatedPolicies, Rules, AuthMethod, AuthMethodNamespace: _, ...given } = givenIn(row)
  const body: Row = { ...given, Policies: linksIn(row['Policies']), Roles: linksIn(row['Roles']) }
  const accessor = textIn(row, 'AccessorID')
  if (accessor === ANONYMOUS_ACCESSOR) return anonymousOf(accessor, body)
  return withWhy(
    { name: accessor, id: accessor, body },
    Boolean(AuthMethod) && 'it was made by a login: who needs it logs in again',
    Boolean(Rules) && 'it has rules of the legacy form of its own: make a policy of them',
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
    return (await readTokens(reader)).map(row => tokenOf(row, now))
  },
  writing: (thing, there) => byId('/v1/acl/token', thing, there)
}

/** Lists of older servers tell no secrets. */
const readTokens = async (reader: Reader): Promise<readonly Row[]> => {
  const rows = await reader.list('/v1/acl/tokens')
  const told = rows.filter(row => textIn(row, 'SecretID') !== '')
  const others = rows.filter(row => textIn(row, 'SecretID') === '')
  return [
    ...told,
    ...(await readEach(others, row => reader.one(`/v1/acl/token/${textIn(row, 'AccessorID')}`)))
  ]
}
