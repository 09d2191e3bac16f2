// The tokens, roles and binding rules that have a permission, now, at an earlier index, or since then.
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import type { AuthorizationQuestion } from '../../../projections/acl/authorize-request.js'
import { holderParts, holderText } from '../../../projections/acl/holder-views.js'
import { holderKey, PermissionHolders } from '../../../projections/acl/permission-holders.js'
import type { Steps } from '../../../projections/steps.js'
import type { TimeTravel } from '../../history/time-travel.js'
import { permissionHolder } from '../../schemas/acl.js'
import { respondToRead, type ListState } from '../../wire/reads/blocking.js'
import { readableList } from '../../wire/reads/json-list.js'
import { pageOf, readableSteps } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import type { RouteResponse } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import { readCheck } from './acl-reads.js'
import { type EarlierHolders, holderId } from './earlier-holders.js'
import { checkedAuthorization } from './rules.js'
import { READ_IN_PRIMARY } from './tokens.js'

/** A thread reads earlier states. */
const needs = () => []

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

/** @param others IDs of holders that are left out */
const readHolders = (
  request: RequestContext,
  question: AuthorizationQuestion,
  others: ReadonlySet<string> | undefined
): ListState => {
  const { views, now } = request
  const { tokens, roles, bindingRules } = views
  const holders = new PermissionHolders(views, question, now)
  const mayRead = readCheck(request)
  const found = readableSteps(request, {
    parts: holderParts(views),
    keyOf: holderKey,
    passes: (holder, pace) =>
      others?.has(holderId({ kind: holder.kind, key: holderKey(holder) })) !== true &&
      holders.has(holder, pace),
    may: ({ row: { tenancy } }) => mayRead(tenancy)
  })
  const steps = function* (): Steps<RouteResponse> {
    yield* holders.decideLinks()
    return yield* readableList(found, holder => holderText(holder, holders))
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

const respond = async (
  request: RequestContext,
  travel: TimeTravel,
  earlier: EarlierHolders
): Promise<RouteResponse> => {
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
  pageOf(request)
  const others = then && (await earlier.ids(then, question))
  if (!later.past) return respondToRead(later, () => readHolders(later, question, others))
  const found = await earlier.list(later, question, others, readCheck(later))
  return respondToRead(later, () => found)
}

/** Costs for a page: a decision for each policy and role, and a look at the tokens up to its end. At an earlier index, a thread does this. */
export const permissionHolderRoutes = (travel: TimeTravel, earlier: EarlierHolders): readonly Route[] => [
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
    handle: request => respond(request, travel, earlier)
  })
]
