// Dependencies of historical ACL responses: the resources themselves and the names of linked policies and roles.
import { Refusal } from '../../../actors/refusal.js'
import { AUTH_METHOD_TOPIC } from '../../../events/auth-method.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { ResourceKey } from '../../../events/log/log.js'
import { NAMESPACE_TOPIC } from '../../../events/namespace.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
import { POLICY_PROPOSAL_TOPIC } from '../../../events/policy-proposal.js'
import { ROLE_TOPIC } from '../../../events/role.js'
import type { Link } from '../../../events/definition/types.js'
import { TOKEN_TOPIC } from '../../../events/token.js'
import type { RoleRow } from '../../../projections/acl/roles.js'
import type { Views } from '../../../projections/read-models.js'
import {
  resourceIn,
  resourcesIn,
  type HistoryDeclaration,
  type HistoryDependency
} from '../../wire/history-declaration.js'
import type { RequestContext } from '../../wire/request-context.js'
import { type InTenancy, readableRow } from './acl-reads.js'

/** Returns the current location of a readable resource, or the request's tenancy for another one. */
const locate = (
  request: RequestContext,
  topic: string,
  row: InTenancy | undefined,
  key: string
): ResourceKey | undefined => (row ? { topic, ...row.tenancy, key } : resourceIn(request, topic, key))

/** Returns a function that locates a resource by its ID, a UUID in any letter case. It throws Refusal `denied`. */
export const locatorOf =
  (topic: string, find: (views: Views, id: string) => InTenancy | undefined) =>
  (request: RequestContext, id: string): ResourceKey | undefined =>
    locate(request, topic, readableRow(request, find(request.views, id)), id.toLowerCase())

export const policyProposalKeyOf = locatorOf(POLICY_PROPOSAL_TOPIC, ({ policyProposals }, id) =>
  policyProposals.get(id)
)

/** @throws Refusal `denied` */
export const tokenKeyOf = (request: RequestContext, accessor: string): ResourceKey | undefined => {
  const row = readableRow(request, request.views.tokens.get(accessor))
  return locate(request, TOKEN_TOPIC, row, row?.token.AccessorID ?? accessor)
}

/** Returns the location of the presented token, which needs no permission to read itself. */
export const ownTokenKeyOf = ({ authority: { token } }: RequestContext): ResourceKey | undefined =>
  token && { topic: TOKEN_TOPIC, ...token.tenancy, key: token.token.AccessorID }

/** @throws Refusal `denied` */
export const authMethodKeyOf = (request: RequestContext, name: string): ResourceKey | undefined => {
  const row = readableRow(request, request.views.authMethods.named(request.tenancy, name))
  return locate(request, AUTH_METHOD_TOPIC, row, row?.method.Name ?? name)
}

/** Returns the possible locations of linked resources: the current one, else the owner's namespace and `default`. */
function* linkTargets(
  topic: string,
  links: readonly Link[],
  owner: Tenancy,
  find: (id: string) => InTenancy | undefined
): Iterable<ResourceKey> {
  const { partition } = owner
  for (const { ID } of links) {
    const current = find(ID)
    const tenancies = current ? [current.tenancy] : [owner, { partition, namespace: 'default' }]
    for (const { namespace } of tenancies) yield { topic, partition, namespace, key: ID }
  }
}

export function* linkNames(
  { views }: RequestContext,
  owner: Tenancy,
  { policies = [], roles = [] }: { readonly policies?: readonly Link[]; readonly roles?: readonly Link[] }
): Iterable<HistoryDependency> {
  yield* linkTargets(POLICY_TOPIC, policies, owner, id => views.policies.get(id))
  yield* linkTargets(ROLE_TOPIC, roles, owner, id => views.roles.get(id))
}

export function* tokenLinks(
  request: RequestContext,
  past: Views,
  accessor: string
): Iterable<HistoryDependency> {
  const row = past.tokens.get(accessor)
  if (row) yield* linkNames(request, row.tenancy, { policies: row.token.Policies, roles: row.token.Roles })
}

export const roleLinks = (request: RequestContext, row: RoleRow | undefined): Iterable<HistoryDependency> =>
  row ? linkNames(request, row.tenancy, { policies: row.role.Policies }) : []

/** Declares the history of a policy or role read by name. The name may have belonged to another resource earlier. */
export const historyByName = <Row>(
  topic: string,
  named: (views: Views, request: RequestContext) => Row | undefined,
  idOf: (row: Row) => string,
  further: (request: RequestContext, row: Row) => Iterable<HistoryDependency> = () => []
): HistoryDeclaration => {
  const current = (request: RequestContext): ResourceKey | undefined => {
    const row = named(request.views, request)
    return row && resourceIn(request, topic, idOf(row))
  }
  return {
    resource: request => {
      request.require('acl', 'read')
      const resource = current(request)
      if (resource) return resource
      throw new Refusal(
        'history.not-found',
        `No ${topic} has that name now: ask for the history of one that had it by its ID`
      )
    },
    *needs(request, past) {
      const resource = current(request)
      if (resource) yield resource
      if (!named(past, request)) yield resourcesIn(request, [topic], 'namespace')
      const row = named(past, request)
      if (row) yield* further(request, row)
    }
  }
}

/** Declares the history of a list. `ns=*` also needs the namespaces of that time. */
export const aclListHistory = (topic: string, links: readonly string[] = []): HistoryDeclaration => ({
  *needs(request) {
    yield resourcesIn(request, [NAMESPACE_TOPIC, ...links], 'partition')
    yield resourcesIn(request, [topic], 'namespace')
  }
})
