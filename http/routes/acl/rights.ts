// What a token may do: the rules that count for it, and where each comes from.
import { within } from '../../../actors/tenancy.js'
import { NAMESPACE_TOPIC } from '../../../events/namespace.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { Link } from '../../../events/shape/types.js'
import { rightsOf } from '../../../projections/acl/rights.js'
import { subjectOf } from '../../../projections/acl/sources.js'
import type { TokenRow } from '../../../projections/acl/token-row.js'
import { shownTenancy } from '../../../projections/shown-tenancy.js'
import type { Views } from '../../../projections/views.js'
import { rights } from '../../schemas/rights.js'
import { thingOutside, type Past, type PastNeed } from '../../wire/past.js'
import { answerRead, reading, type Reading } from '../../wire/reads/blocking.js'
import type { ApiRequest } from '../../wire/request.js'
import { anyToken, needs, route, type Route } from '../../wire/route.js'
import { ACL_NOT_FOUND } from './lists.js'
import { linkNames, roleLinks, tokenThing } from './past.js'
import { accessorOf, checkId, ownAccessor, READ_WHERE_KNOWN, validToken } from './token-request.js'

const facts = {
  tag: 'ACL tokens',
  blocking: true,
  consistency: 'all',
  caching: 'none',
  ...READ_WHERE_KNOWN,
  method: 'GET',
  response: rights
} as const

/** What a token's rights follow from: whatever it, its roles and the defaults of its namespace link to. */
function* rightsNeeds(request: ApiRequest, past: Views, accessor: string): Iterable<PastNeed> {
  const row = past.tokens.get(accessor)
  if (!row) return
  const { partition, namespace } = row.tenancy
  yield* linkedRules(request, past, row.tenancy, row.token.Policies, row.token.Roles)
  yield thingOutside(NAMESPACE_TOPIC, namespace, partition)
  const acls = past.namespaces.get(row.tenancy)?.namespace.ACLs
  const home = { partition, namespace: 'default' }
  yield* linkedRules(request, past, home, acls?.PolicyDefaults, acls?.RoleDefaults)
}

function* linkedRules(
  request: ApiRequest,
  past: Views,
  own: Tenancy,
  policies: readonly Link[] = [],
  roles: readonly Link[] = []
): Iterable<PastNeed> {
  yield* linkNames(request, own, { policies, roles })
  for (const { ID } of roles) yield* roleLinks(request, past.roles.get(ID))
}

const past = (accessor: (request: ApiRequest) => string): Past => ({
  *needs(request, then) {
    const thing = tokenThing(request, accessor(request))
    if (thing) yield thing
    yield* rightsNeeds(request, then, accessor(request))
  }
})

const indexOf = ({ tokens, policies, roles, namespaces }: Views): number =>
  Math.max(tokens.index, policies.index, roles.index, namespaces.index)

/** What may change the rights of a token. */
const watchOf = (accessor: string) => [`token/${accessor.toLowerCase()}`, 'policies', 'roles', 'namespaces']

/** The rights of a token. Other tokens' changes move the index, too, so that who waits is told only what differs. */
const readRights = ({ views, settings }: ApiRequest, row: TokenRow): Reading => {
  const { AccessorID } = row.token
  const body = JSON.stringify({
    AccessorID,
    ...shownTenancy(row.tenancy),
    Datacenter: settings.datacenter,
    ...rightsOf(subjectOf(row, views), views)
  })
  return { ...reading(body, indexOf(views), watchOf(AccessorID)), isComparedByBody: true }
}

const missing = ({ views }: ApiRequest): Reading => ({
  index: indexOf(views),
  watch: ['tokens'],
  answer: ACL_NOT_FOUND
})

export const rightsRoutes: readonly Route[] = [
  route({
    ...facts,
    access: anyToken('the rights are those of the token itself'),
    tenancy: 'none',
    path: '/v1/acl/token/self/rights',
    operationId: 'readOwnRights',
    summary: 'Read the rules that count for the token presented',
    past: past(ownAccessor),
    handle: request =>
      answerRead(request, () => {
        const own = request.secret === undefined ? undefined : request.authority.token
        const row = own && request.views.tokens.get(own.token.AccessorID)
        return row ? readRights(request, row) : missing(request)
      })
  }),
  route({
    ...facts,
    access: needs('acl:read'),
    tenancy: 'many',
    path: '/v1/acl/token/:AccessorID/rights',
    operationId: 'readTokenRights',
    summary: 'Read the rules that count for a token, each with where it comes from',
    past: past(accessorOf),
    handle: request => {
      const accessor = accessorOf(request)
      return answerRead(request, () => {
        const stored = request.views.tokens.get(accessor)
        const row = validToken(within(stored, request.tenancy), request)
        request.require('acl', 'read', '', row?.tenancy)
        if (!stored) checkId(accessor)
        return row ? readRights(request, row) : missing(request)
      })
    }
  })
]
