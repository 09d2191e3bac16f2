// What answers about the ACL system of before are made from: the things themselves, and the names of what they link to.
import { Refusal } from '../../../actors/refusal.js'
import { AUTH_METHOD_TOPIC } from '../../../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../../../events/binding-rule.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { ResourceKey } from '../../../events/log/log.js'
import { NAMESPACE_TOPIC } from '../../../events/namespace.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
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

interface InTenancy {
  readonly tenancy: Tenancy
}

/** A thing where it is now, under the key that its events have; where it is not any more, where the request looks for it. */
const nowOrThen = <Row extends InTenancy>(
  request: RequestContext,
  topic: string,
  row: Row | undefined,
  keyOf: (row: Row) => string,
  given: string
): ResourceKey | undefined => {
  if (!row) return resourceIn(request, topic, given)
  const { partition, namespace } = row.tenancy
  return { topic, partition, namespace, key: keyOf(row) }
}

export const tokenKeyOf = (request: RequestContext, accessor: string): ResourceKey | undefined =>
  nowOrThen(request, TOKEN_TOPIC, request.views.tokens.get(accessor), row => row.token.AccessorID, accessor)

export const policyKeyOf = (request: RequestContext, id: string): ResourceKey | undefined =>
  nowOrThen(request, POLICY_TOPIC, request.views.policies.get(id), row => row.policy.ID, id.toLowerCase())

export const roleKeyOf = (request: RequestContext, id: string): ResourceKey | undefined =>
  nowOrThen(request, ROLE_TOPIC, request.views.roles.get(id), row => row.role.ID, id.toLowerCase())

export const bindingRuleKeyOf = (request: RequestContext, id: string): ResourceKey | undefined =>
  nowOrThen(
    request,
    BINDING_RULE_TOPIC,
    request.views.bindingRules.get(id),
    row => row.rule.ID,
    id.toLowerCase()
  )

export const authMethodKeyOf = (request: RequestContext, name: string): ResourceKey | undefined =>
  nowOrThen(
    request,
    AUTH_METHOD_TOPIC,
    request.views.authMethods.named(request.tenancy, name),
    row => row.method.Name,
    name
  )

/** Where what a thing links to may be: where it is now, or in the thing's own namespace, or in `default`. */
function* linked(
  topic: string,
  links: readonly Link[],
  own: Tenancy,
  find: (id: string) => InTenancy | undefined
): Iterable<ResourceKey> {
  const { partition } = own
  for (const { ID } of links) {
    const now = find(ID)
    const places = now ? [now.tenancy] : [own, { partition, namespace: 'default' }]
    for (const { namespace } of places) yield { topic, partition, namespace, key: ID }
  }
}

/** The names that are shown of policies and roles. */
export function* linkNames(
  { views }: RequestContext,
  own: Tenancy,
  { policies = [], roles = [] }: { readonly policies?: readonly Link[]; readonly roles?: readonly Link[] }
): Iterable<HistoryDependency> {
  yield* linked(POLICY_TOPIC, policies, own, id => views.policies.get(id))
  yield* linked(ROLE_TOPIC, roles, own, id => views.roles.get(id))
}

/** What a token shows of others. */
export function* tokenLinks(
  request: RequestContext,
  past: Views,
  accessor: string
): Iterable<HistoryDependency> {
  const row = past.tokens.get(accessor)
  if (row) yield* linkNames(request, row.tenancy, { policies: row.token.Policies, roles: row.token.Roles })
}

/** What a role shows of others. */
export const roleLinks = (request: RequestContext, row: RoleRow | undefined): Iterable<HistoryDependency> =>
  row ? linkNames(request, row.tenancy, { policies: row.role.Policies }) : []

/** Of a read of a policy or role by its name: it may have had another one then, and another one may have had its name. */
export const historyByName = <Row>(
  topic: typeof POLICY_TOPIC | typeof ROLE_TOPIC,
  named: (views: Views, request: RequestContext) => Row | undefined,
  idOf: (row: Row) => string,
  further: (request: RequestContext, row: Row) => Iterable<HistoryDependency> = () => []
): HistoryDeclaration => {
  const now = (request: RequestContext): ResourceKey | undefined => {
    const row = named(request.views, request)
    return row && resourceIn(request, topic, idOf(row))
  }
  return {
    resource: request => {
      request.require('acl', 'read')
      const resource = now(request)
      if (resource) return resource
      throw new Refusal(
        'missing',
        `No ${topic} has that name now: ask for the history of one that had it by its ID`
      )
    },
    *needs(request, past) {
      const resource = now(request)
      if (resource) yield resource
      if (!named(past, request)) yield resourcesIn(request, [topic], 'namespace')
      const row = named(past, request)
      if (row) yield* further(request, row)
    }
  }
}

/** Of a list: with `ns=*` also the namespaces that there were, and the things whose names are shown wherever they are. */
export const aclListHistory = (topic: string, links: readonly string[] = []): HistoryDeclaration => ({
  *needs(request) {
    yield resourcesIn(request, [NAMESPACE_TOPIC, ...links], 'partition')
    yield resourcesIn(request, [topic], 'namespace')
  }
})
