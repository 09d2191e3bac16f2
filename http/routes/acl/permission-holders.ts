// The tokens, roles and binding rules that have a permission, now, at an earlier index, or since then.
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { AUTH_METHOD_TOPIC } from '../../../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../../../events/binding-rule.js'
import type { Tenancy } from '../../../events/envelope.js'
import { NAMESPACE_TOPIC } from '../../../events/namespace.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
import { ROLE_TOPIC } from '../../../events/role.js'
import { TOKEN_TOPIC } from '../../../events/token.js'
import type { AuthorizationQuestion } from '../../../projections/acl/authorize-request.js'
import { holderKey, PermissionHolders, type Holder } from '../../../projections/acl/permission-holders.js'
import { spaceOf } from '../../../projections/row-table.js'
import type { Steps } from '../../../projections/steps.js'
import { tenancyViewOf } from '../../../projections/tenancy-view.js'
import type { TimeTravel } from '../../history/time-travel.js'
import { permissionHolder } from '../../schemas/acl.js'
import { respondToRead, type ListState } from '../../wire/reads/blocking.js'
import { readableList } from '../../wire/reads/json-list.js'
import { readableSteps, type PagePart } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import type { RouteResponse } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import { checkedAuthorization } from './rules.js'
import { READ_IN_PRIMARY } from './tokens.js'

const TOPICS = [TOKEN_TOPIC, POLICY_TOPIC, ROLE_TOPIC, NAMESPACE_TOPIC, AUTH_METHOD_TOPIC, BINDING_RULE_TOPIC]
const needs = () => [{ topics: TOPICS }]

/** @throws Refusal `invalid` */
const questionOf = ({ query, tenancy }: RequestContext): AuthorizationQuestion =>
  checkedAuthorization(
    {
      Resource: query.get('resource'),
      Access: query.get('access'),
      Segment: query.get('segment'),
      Namespace: tenancy.namespace,
      Partition: tenancy.partition
    },
    { ofNamespaces: true }
  )

interface Source<Row> {
  tenancies(): readonly Tenancy[]
  behind(tenancy: Tenancy, after: string | undefined): Iterable<Row>
}

function* mapped<Row>(rows: Iterable<Row>, holderOf: (row: Row) => Holder): Iterable<Holder> {
  for (const row of rows) yield holderOf(row)
}

const partsOf = <Row>(
  kind: string,
  source: Source<Row>,
  holderOf: (row: Row) => Holder
): readonly PagePart<Holder>[] =>
  source.tenancies().map(tenancy => ({
    name: `${kind} ${spaceOf(tenancy)}`,
    behind: after => mapped(source.behind(tenancy, after), holderOf)
  }))

const detailsOf = ({ kind, row }: Holder) => {
  if (kind === 'role') return { Kind: kind, ID: row.role.ID, Name: row.role.Name }
  if (kind === 'binding rule') {
    const { ID, Description, AuthMethod, Selector, BindType, BindName } = row.rule
    return {
      Kind: kind,
      ID,
      Name: Description || undefined,
      AuthMethod,
      Selector: Selector || undefined,
      BindType,
      BindName
    }
  }
  const { AccessorID, Description, AuthMethod } = row.token
  return {
    Kind: AuthMethod === '' ? kind : 'login',
    ID: AccessorID,
    Name: Description || undefined,
    AuthMethod: AuthMethod || undefined
  }
}

const holdersOf = (
  { views, past, now }: RequestContext,
  question: AuthorizationQuestion
): PermissionHolders => new PermissionHolders(views, question, past?.moment ?? now)

/** @param earlier the state whose holders are left out */
const readHolders = (
  request: RequestContext,
  question: AuthorizationQuestion,
  earlier: PermissionHolders | undefined
): ListState => {
  const { views } = request
  const { tokens, roles, bindingRules } = views
  const holders = holdersOf(request, question)
  const parts = [
    ...partsOf('binding rule', bindingRules, row => ({ kind: 'binding rule', row })),
    ...partsOf('role', roles, row => ({ kind: 'role', row })),
    ...partsOf('token', tokens, row => ({ kind: 'token', row }))
  ]
  const readable = new Map<string, boolean>()
  const mayRead = ({ row: { tenancy } }: Holder): boolean => {
    const space = spaceOf(tenancy)
    const may = readable.get(space) ?? request.may('acl', 'read', '', tenancy)
    readable.set(space, may)
    return may
  }
  const found = readableSteps(request, {
    parts,
    keyOf: holderKey,
    passes: (holder, pace) => holders.has(holder, pace) && earlier?.hasSame(holder, pace) !== true,
    may: mayRead
  })
  const textOf = (holder: Holder): string => {
    const { Allowed: _, ...reason } = { Allowed: true, ...holders.explanationOf(holder) }
    const tenancy = tenancyViewOf(holder.row.tenancy)
    return JSON.stringify({ ...detailsOf(holder), ...tenancy, ...reason })
  }
  const steps = function* (): Steps<RouteResponse> {
    if (earlier) yield* earlier.decideLinks()
    yield* holders.decideLinks()
    return yield* readableList(found, textOf)
  }
  const version = (): string =>
    [views.policies, roles, views.namespaces, bindingRules].map(({ index }) => index).join()
  const current = version()
  return {
    index: Math.max(tokens.index, ...current.split(',').map(Number)),
    watch: ['tokens', 'policies', 'roles', 'namespaces', 'binding-rules'],
    steps: steps(),
    holds: () => version() === current
  }
}

const respond = async (request: RequestContext, travel: TimeTravel): Promise<RouteResponse> => {
  request.require('acl', 'read')
  const question = questionOf(request)
  const [from, to] = [request.query.filled('from'), request.query.filled('to')]
  if (from === undefined && to !== undefined)
    throw invalid('history.invalid', 'Invalid to: it ends a period, whose begin must be given as from')
  if (from !== undefined && request.past)
    throw invalid('history.invalid', 'Invalid from: at and from cannot both be given')
  const then = from === undefined ? undefined : await travel.requestAt(request, needs, from, 'from')
  const later = to === undefined ? request : await travel.requestAt(request, needs, to, 'to')
  const [begin = 0, end = Infinity] = [then?.past?.index, later.past?.index]
  if (begin > end)
    throw invalid('history.invalid', `Invalid from: commit ${begin} is after to, which is commit ${end}`)
  const earlier = then && holdersOf(then, question)
  return respondToRead(later, () => readHolders(later, question, earlier))
}

/** Costs for a page: a decision for each policy and role, and a look at the tokens up to its end. */
export const permissionHolderRoutes = (travel: TimeTravel): readonly Route[] => [
  route({
    tag: 'ACL rules',
    access: requires('acl:read', 'in the namespace of the resource, and in that of each result'),
    consistency: 'all',
    ...READ_IN_PRIMARY,
    method: 'GET',
    path: '/v1/acl/who',
    operationId: 'listPermissionHolders',
    summary: 'List the tokens, logins, roles and binding rules that have a permission, each with its rule',
    isPaged: true,
    past: { needs },
    query: {
      resource: 'Resource of the rule language, or namespace',
      segment: 'Name of the resource',
      access: 'read, list, write or write-prefix',
      from: 'Only what has the permission now, or at `to`, and lacked it at this index or time',
      to: 'The index or time that ends the period; now unless given'
    },
    response: Type.Array(permissionHolder),
    handle: request => respond(request, travel)
  })
]
