// The list of tokens: which ones, in which form (spec: acl.md §3.9).
import { invalid } from '../../../actors/refusal.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import { parseMilliseconds } from '../../../events/duration.js'
import { DEFAULT_TENANCY, type Tenancy } from '../../../events/envelope.js'
import { parseTime } from '../../../events/time.js'
import { tokenDefinition } from '../../../events/token.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import { filterFieldsOf } from '../../../projections/definition/filter-fields.js'
import { spaceOf } from '../../../projections/table.js'
import { filterOf } from '../../wire/reads/filter.js'
import type { TokenUse } from '../../wire/token-use.js'
import type { RequestContext } from '../../wire/request-context.js'
import { ALL_NAMESPACES, oneNamespace } from '../../wire/tenancy.js'
import type { TokenListBytes } from './token-list-bytes.js'

/** What `filter` may select. The secret is no field: a filter would tell it, piece by piece, to who may not see it. */
const FILTER_FIELDS = filterFieldsOf(tokenDefinition.fields)

export const TOKEN_LIST_QUERY = {
  policy: 'Only tokens linked directly to the policy of this ID',
  role: 'Only tokens linked to the role of this ID',
  authmethod: 'Only tokens made by this auth method',
  'authmethod-ns': 'Namespace of that auth method, where it is not that of the request',
  'unused-since': 'Only tokens not used since then: an RFC 3339 time, or a duration before now such as 720h',
  filter: 'A filter expression'
} as const

/** The parameters of which each, when it is filled, leaves tokens out. */
const SELECTIONS = ['policy', 'role', 'authmethod', 'unused-since', 'filter'] as const

type Test = (row: TokenRow) => boolean

/** The time before which the last use must lie, epoch milliseconds. @throws Refusal `invalid` */
const unusedSince = ({ query, now }: RequestContext): number | undefined => {
  const given = query.filled('unused-since')
  if (given === undefined) return undefined
  const duration = parseMilliseconds(given)
  const time = duration === undefined ? parseTime(given) : now - duration
  if (time === undefined)
    throw invalid(`unused-since "${given}" is neither an RFC 3339 time nor a duration such as 720h`)
  return time
}

/** Whether the request asks for a token, by all parameters but those that name a link. @throws Refusal `invalid` */
export const tokenTest = (request: RequestContext, tokenUse: TokenUse): Test => {
  const { views } = request
  const since = unusedSince(request)
  const passes = filterOf(request, FILTER_FIELDS)
  const tests: Test[] = [row => row.isValid(request.past?.moment ?? request.now)]
  if (since !== undefined)
    tests.push(({ token }) => (tokenUse.lastUsed(token.AccessorID) ?? -Infinity) < since)
  if (passes)
    tests.push(row =>
      passes({ ...row.toObject(views), LastUsed: tokenUse.lastUsedText(row.token.AccessorID) ?? '' })
    )
  return row => tests.every(test => test(row))
}

/**
 * The tenancy of the auth method that a list names: the one given for it, else that of the request unless it means all
 * namespaces, else the token's own (spec: tenancy.md §7).
 */
const methodTenancy = (request: RequestContext): Tenancy => {
  const { tenancy, query, authority } = request
  const given = query.filled('authmethod-ns')
  if (given !== undefined) return { partition: tenancy.partition, namespace: oneNamespace(given) }
  return tenancy.namespace === ALL_NAMESPACES ? (authority.token?.tenancy ?? DEFAULT_TENANCY) : tenancy
}

/** The tokens of links; see `linkedTokens`. @throws Refusal `invalid` */
const findLinked = (request: RequestContext): readonly TokenRow[] | undefined => {
  const { tokens, policies, roles } = request.views
  const policy = request.query.filled('policy')
  const role = request.query.filled('role')
  const authMethod = request.query.filled('authmethod')
  if ([policy, role, authMethod].filter(Boolean).length > 1)
    throw invalid('can only filter by one of policy, role, or methodName at a time')
  if (policy) return policies.get(policy) ? tokens.linkedTo('policy', policy.toLowerCase()) : []
  if (role) return roles.get(role) ? tokens.linkedTo('role', role.toLowerCase()) : []
  if (!authMethod) return undefined
  const made = tokens.createdByLogin(methodTenancy(request), authMethod)
  return made.filter(row => row.token.AuthMethod === authMethod)
}

/**
 * The tokens of a tenancy that a list picks by a link, in the order of their secrets; undefined for one that picks none so. Links
 * to what was deleted are gone, though a token may still hold the ID. @throws Refusal `invalid`
 */
export const linkedTokens = (
  request: RequestContext
): ((tenancy: Tenancy) => readonly TokenRow[]) | undefined => {
  const linked = findLinked(request)
  return linked && (tenancy => linked.filter(row => isWithinTenancy(row, tenancy)))
}

/**
 * The bytes of the list of all tokens of a tenancy, for a request that selects none of them; undefined for one that does.
 */
export const allTokens = (
  request: RequestContext,
  lists: TokenListBytes
): ((tenancy: Tenancy, isWriter: boolean) => Buffer) | undefined => {
  const { query, views, now } = request
  if (request.past || SELECTIONS.some(name => query.filled(name) !== undefined)) return undefined
  return (tenancy, isWriter) =>
    lists.of({
      space: spaceOf(tenancy),
      find: accessor => views.tokens.get(accessor),
      rows: views.tokens.list(tenancy),
      names: views,
      isHidden: !isWriter,
      isNamespaceNamed: request.namesDefault,
      now
    })
}
