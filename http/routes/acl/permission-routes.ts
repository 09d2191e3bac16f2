// The permissions of a token: the rules that apply to it and their sources.
import { isWithinTenancy } from '../../../actors/tenancy.js'
import { NAMESPACE_TOPIC } from '../../../events/namespace.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { Link } from '../../../events/definition/types.js'
import type { ResourceKey } from '../../../events/log/log.js'
import { effectiveRules } from '../../../projections/acl/effective-permissions.js'
import { subjectOf } from '../../../projections/acl/sources.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import { tenancyViewOf } from '../../../projections/tenancy-view.js'
import type { Views } from '../../../projections/read-models.js'
import type { Steps } from '../../../projections/steps.js'
import { effectivePermissions } from '../../schemas/permissions.js'
import {
  clusterResource,
  type HistoryDeclaration,
  type HistoryDependency
} from '../../wire/history-declaration.js'
import { respondToRead, type ListState, type ReadState } from '../../wire/reads/blocking.js'
import { JsonList, serializedRows } from '../../wire/reads/json-list.js'
import type { RequestContext } from '../../wire/request-context.js'
import { jsonText, type RouteResponse } from '../../wire/response.js'
import { anyToken, requires, route, type Route } from '../../wire/route.js'
import { ACL_NOT_FOUND, readableRow } from './acl-reads.js'
import { linkNames, ownTokenKeyOf, roleLinks, tokenKeyOf } from './acl-history.js'
import { accessorOf, checkId, ownAccessor, READ_IN_PRIMARY, validToken } from './tokens.js'

const facts = {
  tag: 'ACL tokens',
  blocking: true,
  consistency: 'all',
  ...READ_IN_PRIMARY,
  method: 'GET',
  response: effectivePermissions
} as const

/** The dependencies of a token's permissions: all links of the token, its roles and its namespace's defaults. */
function* permissionDependencies(
  request: RequestContext,
  past: Views,
  accessor: string
): Iterable<HistoryDependency> {
  const row = past.tokens.get(accessor)
  if (!row) return
  const { partition, namespace } = row.tenancy
  yield* linkedRules(request, past, row.tenancy, row.token.Policies, row.token.Roles)
  yield clusterResource(NAMESPACE_TOPIC, namespace, partition)
  const acls = past.namespaces.get(row.tenancy)?.namespace.ACLs
  const defaults = { partition, namespace: 'default' }
  yield* linkedRules(request, past, defaults, acls?.PolicyDefaults, acls?.RoleDefaults)
}

function* linkedRules(
  request: RequestContext,
  past: Views,
  owner: Tenancy,
  policies: readonly Link[] = [],
  roles: readonly Link[] = []
): Iterable<HistoryDependency> {
  yield* linkNames(request, owner, { policies, roles })
  for (const { ID } of roles) yield* roleLinks(request, past.roles.get(ID))
}

const historyOfPermissions = (
  accessor: (request: RequestContext) => string,
  keyOf: (request: RequestContext) => ResourceKey | undefined
): HistoryDeclaration => ({
  *needs(request, past) {
    const resource = keyOf(request)
    if (resource) yield resource
    yield* permissionDependencies(request, past, accessor(request))
  }
})

const indexOf = ({ tokens, policies, roles, namespaces }: Views): number =>
  Math.max(tokens.index, policies.index, roles.index, namespaces.index)

const watchOf = (accessor: string) => [`token/${accessor.toLowerCase()}`, 'policies', 'roles', 'namespaces']

function* permissionSteps({ views, settings }: RequestContext, row: TokenRow): Steps<RouteResponse> {
  const subject = subjectOf(row, views)
  const { rules } = subject.authorizer
  const head = {
    AccessorID: row.token.AccessorID,
    ...tenancyViewOf(row.tenancy),
    Datacenter: settings.datacenter,
    DefaultPolicy: rules === 'everything' ? 'allow' : rules.defaultPolicy
  }
  const members = new JsonList('object')
  members.push(JSON.stringify(head).slice(1, -1))
  const effective = yield* effectiveRules(subject, views)
  members.pushMember('Rules', yield* serializedRows(effective, rule => JSON.stringify(rule)))
  return jsonText(members.end())
}

/** Changes of other tokens raise the index, too. A blocking query therefore compares bodies. */
const readPermissions = (request: RequestContext, row: TokenRow): ListState => ({
  index: indexOf(request.views),
  watch: watchOf(row.token.AccessorID),
  steps: permissionSteps(request, row),
  isComparedByBody: true
})

const missing = ({ views }: RequestContext): ReadState => ({
  index: indexOf(views),
  watch: ['tokens'],
  answer: ACL_NOT_FOUND
})

export const permissionRoutes: readonly Route[] = [
  route({
    ...facts,
    access: anyToken('returns the permissions of the token itself'),
    tenancy: 'none',
    path: '/v1/acl/token/self/rights',
    operationId: 'readOwnRights',
    summary: 'Read the rules that apply to the token presented',
    past: historyOfPermissions(ownAccessor, ownTokenKeyOf),
    handle: request =>
      respondToRead(request, () => {
        const own = request.secret === undefined ? undefined : request.authority.token
        const row = own && request.views.tokens.get(own.token.AccessorID)
        return row ? readPermissions(request, row) : missing(request)
      })
  }),
  route({
    ...facts,
    access: requires('acl:read'),
    tenancy: 'many',
    path: '/v1/acl/token/:AccessorID/rights',
    operationId: 'readTokenRights',
    summary: 'Read the rules that apply to a token, each with its source',
    past: historyOfPermissions(accessorOf, request => tokenKeyOf(request, accessorOf(request))),
    handle: request => {
      const accessor = accessorOf(request)
      return respondToRead(request, () => {
        const stored = request.views.tokens.get(accessor)
        const row = readableRow(request, validToken(isWithinTenancy(stored, request.tenancy), request))
        if (!stored) checkId(accessor)
        return row ? readPermissions(request, row) : missing(request)
      })
    }
  })
]
