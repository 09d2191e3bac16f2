// Findings about tokens, roles and policies that weaken access control or serve nothing.
import * as Type from 'typebox'
import { invalid } from '../../../actors/refusal.js'
import { parseMilliseconds } from '../../../events/duration.js'
import type { Tenancy } from '../../../events/envelope.js'
import { AclReview, REVIEW_CHECKS, type ReviewCheck, type Reviewed } from '../../../projections/acl/review.js'
import { spaceOf } from '../../../projections/row-table.js'
import type { Steps } from '../../../projections/steps.js'
import { tenancyViewOf } from '../../../projections/tenancy-view.js'
import { reviewFinding } from '../../schemas/acl.js'
import { respondToRead, type ListState } from '../../wire/reads/blocking.js'
import { readableList } from '../../wire/reads/json-list.js'
import { readableSteps, type PagePart } from '../../wire/reads/page.js'
import { repeated } from '../../wire/query.js'
import type { RequestContext } from '../../wire/request-context.js'
import { warningHeaders, type RouteResponse } from '../../wire/response.js'
import { requires, route, type Route } from '../../wire/route.js'
import type { TokenUse } from '../../wire/token-use.js'
import type { UsageCollection } from '../../wire/collected-usage.js'
import { reviewUsage } from './review-usage.js'
import { namespacesOf } from './acl-reads.js'
import { READ_IN_PRIMARY } from './tokens.js'
import { daysIn } from './usage.js'

const UNUSED_FOR = '2160h'
const OLDER_THAN = '8760h'

/** @throws Refusal `invalid` */
const durationOf = ({ query }: RequestContext, name: string, initial: string): number => {
  const text = query.filled(name) ?? initial
  const duration = parseMilliseconds(text)
  if (duration === undefined || duration < 0)
    throw invalid('acl.token.invalid', `Invalid ${name}: "${text}" is no duration such as 720h`)
  return duration
}

const isCheck = (text: string): text is ReviewCheck => REVIEW_CHECKS.some(check => check === text)

/** @throws Refusal `invalid` */
const checksOf = ({ query }: RequestContext): readonly ReviewCheck[] => {
  const requested = query.all('check')
  const unknown = requested.find(text => !isCheck(text))
  if (unknown !== undefined)
    throw invalid('acl.token.invalid', `Invalid check: "${unknown}" is none of ${REVIEW_CHECKS.join(', ')}`)
  return requested.length === 0 ? REVIEW_CHECKS : REVIEW_CHECKS.filter(check => requested.includes(check))
}

function* mapped<Row>(rows: Iterable<Row>, reviewedOf: (row: Row) => Reviewed): Iterable<Reviewed> {
  for (const row of rows) yield reviewedOf(row)
}

const partsOf = (
  { views }: RequestContext,
  check: ReviewCheck,
  tenancies: readonly Tenancy[]
): readonly PagePart<Reviewed>[] => {
  const { tokens, roles, policies } = views
  const behind = (tenancy: Tenancy, after: string | undefined): Iterable<Reviewed> => {
    if (check === 'role-without-token') return mapped(roles.behind(tenancy, after), row => ({ check, row }))
    return check === 'policy-without-link' || check === 'wide-rule'
      ? mapped(policies.behind(tenancy, after), row => ({ check, row }))
      : mapped(tokens.behind(tenancy, after), row => ({ check, row }))
  }
  return tenancies.map(tenancy => ({
    name: `${check} ${spaceOf(tenancy)}`,
    behind: after => behind(tenancy, after)
  }))
}

const maximum = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

const keyOf = ({ row }: Reviewed): string => ('token' in row ? row.key : row.link.ID)

const namedOf = ({ row }: Reviewed) => {
  if ('token' in row) {
    const { AccessorID, Description } = row.token
    return { Kind: 'token', ID: AccessorID, Name: Description || undefined }
  }
  return { Kind: 'role' in row ? 'role' : 'policy', ...row.link }
}

const readFindings = (
  request: RequestContext,
  tokenUse: TokenUse,
  { found: fromUsage, lastAsked, warnings }: Awaited<ReturnType<typeof reviewUsage>>
): ListState => {
  const { views, tenancy, now } = request
  const { partition } = tenancy
  const review = new AclReview(views, {
    now,
    unusedSince: now - durationOf(request, 'unused-for', UNUSED_FOR),
    secretsSince: now - durationOf(request, 'older-than', OLDER_THAN),
    lastUsed: lastAsked && (accessor => maximum(tokenUse.lastUsed(accessor), lastAsked.get(accessor))),
    fromUsage
  })
  const names = namespacesOf(request)
  const readable = new Map(
    names.map(name => [name, request.may('acl', 'read', '', { partition, namespace: name })])
  )
  const tenancies = names.map(name => ({ partition, namespace: name }))
  const parts = checksOf(request).flatMap(check => partsOf(request, check, tenancies))
  const found = readableSteps(request, {
    parts,
    keyOf,
    passes: reviewed => review.findingOf(reviewed) !== undefined,
    may: ({ row }) => readable.get(row.tenancy.namespace) === true
  })
  const textOf = (reviewed: Reviewed): string => {
    const { message = '', fix = [] } = review.findingOf(reviewed) ?? {}
    const place = tenancyViewOf(reviewed.row.tenancy)
    return JSON.stringify({
      Check: reviewed.check,
      ...namedOf(reviewed),
      ...place,
      Message: message,
      Fix: fix
    })
  }
  const steps = function* (): Steps<RouteResponse> {
    yield* review.collectLinks()
    const answer = yield* readableList(found, textOf)
    return { ...answer, headers: [...answer.headers, ...warningHeaders(warnings)] }
  }
  const { tokens, roles, policies, namespaces, bindingRules } = views
  const index = Math.max(...[tokens, roles, policies, namespaces, bindingRules].map(({ index: own }) => own))
  return { index, watch: ['tokens'], steps: steps() }
}

/** Costs a look at each token, role and policy up to the end of the page. */
export const reviewRoutes = (tokenUse: TokenUse, collection: UsageCollection): readonly Route[] => [
  route({
    tag: 'ACL system',
    access: requires('acl:read'),
    consistency: 'all',
    ...READ_IN_PRIMARY,
    tenancy: 'many',
    process: 'main',
    method: 'GET',
    path: '/v1/acl/review',
    operationId: 'reviewAcl',
    summary: 'List tokens, roles and policies that weaken access control or serve nothing, each with a fix',
    isPaged: true,
    query: {
      check: repeated(`Only these checks: ${REVIEW_CHECKS.join(', ')}`),
      'unused-for': `Duration after which a token without a use counts as unused; default ${UNUSED_FOR}`,
      days: 'Days that must be recorded before an unused token or right is a finding, 0 to 90; default `acl.usage.advice_days`',
      'older-than': `Age from which a secret is old; default ${OLDER_THAN}`
    },
    response: Type.Array(reviewFinding),
    handle: async request => {
      request.require('acl', 'read')
      const checks = checksOf(request)
      const days = daysIn(request, request.settings.acl.usage.advice_days)
      const fromUsage = await reviewUsage(request, collection, checks, days)
      return respondToRead(request, () => readFindings(request, tokenUse, fromUsage))
    }
  })
]
