// Policies that grant what a token or role needs for its recorded questions.
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import { compileAuthorizer, type Authorizer } from '../../../projections/acl/authorizer.js'
import { collectRules, namedDatacenters } from '../../../projections/acl/collect-rules.js'
import { MINUTES_A_DAY } from '../../../projections/acl/usage/day-counts.js'
import type { HeldResource } from '../../../projections/acl/usage/holders.js'
import type { RecordedQuestion } from '../../../projections/acl/usage/question.js'
import { suggestRules, type Generalization } from '../../../projections/acl/usage/suggest-rules.js'
import { homeOf, suggestionText } from '../../../projections/acl/usage/suggestion-text.js'
import type { Steps } from '../../../projections/steps.js'
import { suggestion } from '../../schemas/usage.js'
import type { CollectedUsage, UsageCollection } from '../../wire/collected-usage.js'
import type { RequestContext } from '../../wire/request-context.js'
import { jsonText, type RouteResponse } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import { MINUTE_MS } from '../../wire/token-use.js'
import { daysIn, PARAMETERS, requestedResource, usageHead, type RequestedResource } from './usage.js'

/** @throws Refusal `invalid` */
const generalizationIn = ({ query }: RequestContext): Generalization => {
  const text = query.filled('names') ?? 'prefix'
  if (text === 'exact' || text === 'prefix') return text
  throw invalid('acl.invalid', `Invalid names: "${text}" is neither exact nor prefix`)
}

interface Rights {
  readonly authorizer: Authorizer
  /** True if other datacenters may decide otherwise. */
  readonly isLocal: boolean
}

/** Returns the rights of a token, or those that a role alone gives. */
const rightsOf = (
  { views }: RequestContext,
  { kind, id, tenancy }: HeldResource & { readonly tenancy: Tenancy }
): Rights => {
  const { policies, roles, namespaces, settings } = views
  const row = kind === 'token' ? views.tokens.get(id) : undefined
  if (row) {
    const isLocal = namedDatacenters(row.token, row.tenancy, views).size > 0
    return { authorizer: views.resolver.authorizerOf(row), isLocal }
  }
  const role = roles.get(id)?.role
  const linked = { policies, roles, namespaces, datacenter: settings.datacenter }
  const sets = role ? collectRules(role, tenancy, linked).sets : []
  return {
    authorizer: compileAuthorizer(sets, settings.defaultPolicy),
    isLocal: role !== undefined && namedDatacenters(role, tenancy, linked).size > 0
  }
}

/** Yields the questions of all datacenters, or only those asked in this one. */
function* questionsIn({ questions }: CollectedUsage, isLocal: boolean): Iterable<RecordedQuestion> {
  for (const subject of questions.subjects())
    if (!isLocal || subject.datacenter === undefined) yield* questions.of(subject)
}

function* answerOf(
  request: RequestContext,
  resource: RequestedResource,
  collected: CollectedUsage,
  days: number
): Steps<RouteResponse> {
  const { tenancy } = resource
  const { authorizer, isLocal } = rightsOf(request, resource)
  const questions = questionsIn(collected, isLocal)
  const rules = yield* suggestRules(authorizer, questions, generalizationIn(request), tenancy)
  const home = homeOf(rules, tenancy)
  return jsonText(
    JSON.stringify({
      ...usageHead(request, resource, collected, days),
      Namespace: home.namespace,
      Partition: home.partition,
      Datacenters: isLocal ? [request.settings.datacenter] : undefined,
      Rules: suggestionText(rules, home)
    })
  )
}

const suggestionRoute = (kind: 'token' | 'role', collection: UsageCollection): Route =>
  route({
    tag: 'ACL system',
    access: requires('acl:read'),
    method: 'GET',
    process: 'main',
    tenancy: 'many',
    path: `/v1/acl/${kind}/:${PARAMETERS[kind]}/suggestion`,
    operationId: kind === 'token' ? 'suggestTokenPolicy' : 'suggestRolePolicy',
    summary: `Suggest the rules that a ${kind} needs for its recorded questions, within its current rights`,
    query: {
      days: 'Days of the record, from 1 to 90; default `acl.usage.advice_days`',
      names: Type.Enum(['exact', 'prefix'], {
        description: 'exact: a rule for each name; prefix (default): names with a common prefix share a rule'
      })
    },
    response: suggestion,
    handle: async request => {
      const resource = requestedResource(request, kind)
      const { settings, now } = request
      const days = daysIn(request, settings.acl.usage.advice_days, 1)
      generalizationIn(request)
      if (settings.acl.default_policy === 'allow')
        throw invalid(
          'acl.invalid',
          'Nothing can be suggested: acl.default_policy is allow, so a policy narrows no rights'
        )
      const today = Math.floor(now / MINUTE_MS / MINUTES_A_DAY)
      const held = { kind, id: resource.id.toLowerCase() }
      const collected = await collection.of(request, held, Math.max(0, today - days + 1) * MINUTES_A_DAY)
      return request.runBeside(answerOf(request, resource, collected, days))
    }
  })

export const suggestionRoutes = (collection: UsageCollection): readonly Route[] => [
  suggestionRoute('token', collection),
  suggestionRoute('role', collection)
]
