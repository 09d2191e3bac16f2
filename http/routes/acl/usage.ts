// The use of the rights of a token, policy or role, derived from the recorded questions.
import { aclNotFound, invalid } from '../../../actors/refusal.js'
import { isWithinTenancy } from '../../../actors/tenancy.js'
import { requireUuid } from '../../../actors/uuid.js'
import type { Tenancy } from '../../../events/envelope.js'
import { formatTime } from '../../../events/time.js'
import { rightsOf, type HeldResource } from '../../../projections/acl/usage/holders.js'
import { linkUses } from '../../../projections/acl/usage/link-uses.js'
import { mostFrequent } from '../../../projections/acl/usage/most-frequent.js'
import type { RecordedQuestion, UsageSubject } from '../../../projections/acl/usage/question.js'
import { ruleUses, type SubjectQuestions } from '../../../projections/acl/usage/rule-usage.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { accessUsage } from '../../schemas/usage.js'
import { UsageCollection, type CollectedUsage, SERVER_USAGE_PATH } from '../../wire/collected-usage.js'
import type { RequestContext } from '../../wire/request-context.js'
import { jsonText, type RouteResponse } from '../../wire/response.js'
import { present } from '../../wire/query.js'
import { requires, route, type Route } from '../../wire/route.js'
import { coverageView, isSufficient, linkView, questionView, ruleView } from './usage-views.js'
import { readableRow, readCheck } from './acl-reads.js'

const MOST_QUESTIONS = 1000
const MOST_DAYS = 90

/** Returns a number of days up to 90. @throws Refusal `invalid` */
export const daysIn = ({ query }: RequestContext, otherwise: number, least = 0): number => {
  const text = query.filled('days')
  if (text === undefined) return otherwise
  const days = /^\d{1,2}$/.test(text) ? Number(text) : Infinity
  if (days < least || days > MOST_DAYS)
    throw invalid('acl.invalid', `Invalid days: "${text}" is no whole number from ${least} to ${MOST_DAYS}`)
  return days
}

export const PARAMETERS = { token: 'AccessorID', policy: 'id', role: 'id' } as const

interface Found {
  readonly id: string
  readonly name: string
  readonly tenancy: Tenancy
}

export type RequestedResource = HeldResource & Found

const found = ({ views }: RequestContext, { kind, id }: HeldResource): Found | undefined => {
  if (kind === 'token') {
    const row = views.tokens.get(id)
    return row && { id: row.token.AccessorID, name: row.token.Description, tenancy: row.tenancy }
  }
  const row = kind === 'policy' ? views.policies.get(id) : views.roles.get(id)
  return row && { id: row.link.ID, name: row.link.Name, tenancy: row.tenancy }
}

/** Returns the resource that the path names. @throws Refusal `denied` before a lookup; `invalid`; `missing` */
export const requestedResource = (request: RequestContext, kind: HeldResource['kind']): RequestedResource => {
  request.require('acl', 'read')
  const id = request.param(PARAMETERS[kind])
  requireUuid('acl.invalid', 'Invalid ID:', id)
  const held = { kind, id: id.toLowerCase() }
  const resource = readableRow(request, isWithinTenancy(found(request, held), request.tenancy))
  if (!resource) throw aclNotFound()
  return { ...resource, ...held, id: resource.id }
}

/** Returns the resource of an answer, and the coverage of its record. */
export const usageHead = (
  { now }: RequestContext,
  { kind: Kind, id: ID, name: Name }: RequestedResource,
  collected: CollectedUsage,
  requiredDays: number
) => ({ Kind, ID, Name, Coverage: coverageView(collected, requiredDays, formatTime(now)) })

/** Returns whether the caller may see the questions of a token: those about a resource that it may read, and those of other tokens that it may read. */
const sentTo = (
  request: RequestContext,
  held: HeldResource | undefined
): ((subject: UsageSubject) => boolean) => {
  const mayRead = readCheck(request)
  const resource = held && found(request, held)
  return resource && mayRead(resource.tenancy) ? () => true : ({ holdings }) => mayRead(holdings.tenancy)
}

/** Returns the recorded questions of each token, with its current rights. */
function* subjectsIn(
  { views }: RequestContext,
  { questions }: CollectedUsage
): Steps<readonly SubjectQuestions[]> {
  const pace = new StepPace()
  const subjects: SubjectQuestions[] = []
  for (const subject of questions.subjects()) {
    const asked: RecordedQuestion[] = []
    for (const question of questions.of(subject)) {
      asked.push(question)
      if (pace.isOver()) yield
    }
    subjects.push({ subject, authorizer: rightsOf(subject, views), questions: asked })
  }
  return subjects
}

function* answerOf(
  request: RequestContext,
  resource: RequestedResource,
  collected: CollectedUsage,
  requiredDays: number
): Steps<RouteResponse> {
  const { kind, id } = resource
  const subjects = yield* subjectsIn(request, collected)
  const isSound = isSufficient(collected, requiredDays)
  const source = `policy ${id.toLowerCase()}`
  const rules = yield* ruleUses(subjects, rule => kind !== 'policy' || rule.source.toLowerCase() === source)
  const links = yield* linkUses(request.views, resource, subjects)
  const mayRead = readCheck(request)
  const readable = subjects.filter(({ subject: { holdings } }) => mayRead(holdings.tenancy))
  const { questions, omitted } = yield* mostFrequent(readable, MOST_QUESTIONS)
  return jsonText(
    JSON.stringify({
      ...usageHead(request, resource, collected, requiredDays),
      Tokens: subjects.length,
      Rules: rules.map(rule => ruleView(request, rule, isSound)),
      Links: links.map(link => linkView(request.views, link, isSound)),
      Questions: questions.map(questionView),
      OmittedQuestions: omitted
    })
  )
}

const facts = { tag: 'ACL system', access: requires('acl:read'), method: 'GET', process: 'main' } as const

const usageRoute = (kind: HeldResource['kind'], collection: UsageCollection): Route =>
  route({
    ...facts,
    tenancy: 'many',
    path: `/v1/acl/${kind}/:${PARAMETERS[kind]}/usage`,
    operationId: `read${kind[0]?.toUpperCase() ?? ''}${kind.slice(1)}Usage`,
    summary: `Read which rules of a ${kind} its tokens use, by whom, when and how often`,
    query: {
      days: 'Days that must be recorded before a rule or link is called unused, 0 to 90; default `acl.usage.advice_days`'
    },
    response: accessUsage,
    handle: async request => {
      const resource = requestedResource(request, kind)
      const days = daysIn(request, request.settings.acl.usage.advice_days)
      const collected = await collection.of(request, { kind, id: resource.id.toLowerCase() }, 0)
      return request.runBeside(answerOf(request, resource, collected, days))
    }
  })

const KINDS = ['token', 'policy', 'role'] as const

export const usageRoutes = (collection: UsageCollection): readonly Route[] => [
  ...KINDS.map(kind => usageRoute(kind, collection)),
  route({
    ...facts,
    tenancy: 'many',
    runs: 'here',
    dc: 'ignored',
    path: SERVER_USAGE_PATH,
    operationId: 'readServerUsage',
    summary: 'For servers of the cluster: the recorded questions of this server',
    query: {
      kind: 'token, policy or role; absent for all tokens',
      id: 'ID of it',
      since: 'The first minute, since the epoch',
      all: present('Of each server of this datacenter, after a line with its name and bytes')
    },
    rawResponse: {
      type: 'application/x-ndjson',
      description: 'A head, a line for each token and question, and a checksum',
      example: '{"version":1,"observed":[],"lost":0}\n{"sha256":"…"}\n'
    },
    handle: async request => {
      request.require('acl', 'read')
      const { query } = request
      const kind = KINDS.find(one => one === query.get('kind'))
      const since = Number(query.get('since'))
      if ((!kind && query.has('kind')) || !Number.isSafeInteger(since))
        throw invalid('acl.invalid', 'Invalid kind or since: kind must be token, policy or role')
      const held = kind && { kind, id: query.get('id') ?? '' }
      const isSent = sentTo(request, held)
      const body = await (query.has('all')
        ? collection.ofDatacenter(request, held, since, isSent)
        : collection.own(request, held, since, isSent))
      return { status: 200, body, type: 'application/x-ndjson', headers: [] }
    }
  })
]
