// The selection of tokens for a list (spec: acl.md §3.9).
import { invalid } from '../../../actors/refusal.js'
import { parseMilliseconds } from '../../../events/duration.js'
import type { Tenancy } from '../../../events/envelope.js'
import { parseTime } from '../../../events/time.js'
import { tokenDefinition } from '../../../events/token.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import { filterFieldsOf } from '../../../events/definition/forms/forms.js'
import { spaceOf } from '../../../projections/row-table.js'
import { filterOf } from '../../wire/reads/filter.js'
import type { TokenUse } from '../../wire/token-use.js'
import type { RequestContext } from '../../wire/request-context.js'
import { ALL_NAMESPACES, oneNamespace } from '../../wire/tenancy.js'
import type { BytePieces } from '../../../projections/byte-pieces.js'
import type { Steps } from '../../../projections/steps.js'
import type { TokenListBytes } from './token-list-bytes.js'

/** The secret is no filter field: a filter would disclose it to callers without `acl:write`. */
const FILTER_FIELDS = filterFieldsOf(tokenDefinition.fields)

export const TOKEN_LIST_QUERY = {
  policy: 'Only tokens linked directly to the policy of this ID',
  role: 'Only tokens linked to the role of this ID',
  authmethod: 'Only tokens made by this auth method',
  'authmethod-ns': 'Namespace of that auth method, if it differs from that of the request',
  'unused-since': 'Only tokens not used since: an RFC 3339 time, or a duration before now such as 720h',
  filter: 'A filter expression'
} as const

/** The parameters that exclude tokens. */
const SELECTIONS = ['policy', 'role', 'authmethod', 'unused-since', 'filter'] as const

type Test = (row: TokenRow) => boolean

/** Returns the upper limit of the last use in epoch milliseconds. @throws Refusal `invalid` */
const unusedSince = ({ query, now }: RequestContext): number | undefined => {
  const text = query.filled('unused-since')
  if (text === undefined) return undefined
  const duration = parseMilliseconds(text)
  const time = duration === undefined ? parseTime(text) : now - duration
  if (time === undefined)
    throw invalid(
      'acl.token.invalid',
      `unused-since "${text}" is neither an RFC 3339 time nor a duration such as 720h`
    )
  return time
}

/** Returns a test of a token for all parameters except those that name a link. @throws Refusal `invalid` */
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
 * Returns the tenancy of the auth method: `authmethod-ns`, else the request's, or with `*` that of a token of the partition, else `default`
 * (spec: tenancy.md §5.1, §7).
 */
const methodTenancy = ({ tenancy, query, authority }: RequestContext): Tenancy => {
  const { partition } = tenancy
  const namespace = query.filled('authmethod-ns')
  if (namespace !== undefined) return { partition, namespace: oneNamespace(namespace) }
  if (tenancy.namespace !== ALL_NAMESPACES) return tenancy
  const own = authority.token?.tenancy
  return own?.partition === partition ? own : { partition, namespace: 'default' }
}

/**
 * Returns the tokens of any tenancy that the request selects by a link, in no order; undefined if it selects by none. Links to deleted
 * resources have no effect, though a token may still hold the ID. @throws Refusal `invalid`
 */
export const linkedTokens = (request: RequestContext): readonly TokenRow[] | undefined => {
  const { tokens, policies, roles } = request.views
  const policy = request.query.filled('policy')
  const role = request.query.filled('role')
  const authMethod = request.query.filled('authmethod')
  if ([policy, role, authMethod].filter(Boolean).length > 1)
    throw invalid('acl.token.invalid', 'can only filter by one of policy, role, or methodName at a time')
  if (policy) return policies.get(policy) ? tokens.linkedTo('policy', policy.toLowerCase()) : []
  if (role) return roles.get(role) ? tokens.linkedTo('role', role.toLowerCase()) : []
  if (!authMethod) return undefined
  return tokens
    .ofLogins(methodTenancy(request), authMethod)
    .filter(row => row.token.AuthMethod === authMethod)
}

/** Returns the encoded list of all tokens of a tenancy; undefined for a request that selects some. */
export const allTokens = (
  request: RequestContext,
  lists: TokenListBytes
): ((tenancy: Tenancy, isWriter: boolean) => Steps<BytePieces>) | undefined => {
  const { query, views, now } = request
  if (request.past || SELECTIONS.some(name => query.filled(name) !== undefined)) return undefined
  return (tenancy, isWriter) =>
    lists.of({
      space: spaceOf(tenancy),
      find: accessor => views.tokens.get(accessor),
      rows: views.tokens.inOrder(tenancy),
      version: `${views.generation} ${views.tokens.indexOf(tenancy)}`,
      names: views,
      isHidden: !isWriter,
      isNamespaceNamed: request.namesDefault,
      now
    })
}
