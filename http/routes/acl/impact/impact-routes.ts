// The rights that tokens and future logins gain and lose by an update, which is decided on a draft.
import { eventsOf } from '../../../../actors/aggregate.js'
import { decideOn, type Commands, type Kind } from '../../../../actors/aggregates.js'
import type { ActorRef } from '../../../../actors/ref.js'
import type { Event, Tenancy } from '../../../../events/envelope.js'
import { formatTime } from '../../../../events/time.js'
import type { AclChange } from '../../../../projections/acl/impact/changed-links.js'
import {
  impactOf,
  type AclImpact,
  type AffectedSubject,
  type ImpactEffect
} from '../../../../projections/acl/impact/acl-impact.js'
import type { ChangedQuestion, RecordedImpact } from '../../../../projections/acl/impact/recorded-answers.js'
import type { RightsDifference } from '../../../../projections/acl/impact/rights-differences.js'
import { scopeText, ruleName } from '../../../../projections/acl/rules/model.js'
import type { HeldResource } from '../../../../projections/acl/usage/holders.js'
import { DraftViews } from '../../../../projections/draft-views.js'
import { getOrCreate } from '../../../../projections/maps.js'
import { spaceOf } from '../../../../projections/row-table.js'
import type { Steps } from '../../../../projections/steps.js'
import { tenancyViewOf } from '../../../../projections/tenancy-view.js'
import { impact } from '../../../schemas/impact.js'
import type { CollectedUsage, UsageCollection } from '../../../wire/collected-usage.js'
import { runBeside } from '../../../wire/cooperative-chunks.js'
import type { RequestContext } from '../../../wire/request-context.js'
import { empty, jsonText } from '../../../wire/response.js'
import { parametersIn } from '../../../wire/route-path.js'
import { requires, type Route } from '../../../wire/route.js'
import { MINUTE_MS } from '../../../wire/token-use.js'

const MOST_EFFECTS = 100
const MOST_ATTEMPTS = 3
const ANY = '?'

const rightText = ({ resource, segment }: RightsDifference): string => {
  if (resource === 'namespace') return resource
  if (resource === 'intention')
    return segment ? `intention ${JSON.stringify(scopeText(segment))}` : 'every intention'
  if (segment) return ruleName({ resource, ...segment })
  return resource === 'acl' || resource === 'keyring' || resource === 'operator'
    ? resource
    : `every ${resource}`
}

const rightView = (difference: RightsDifference) => {
  const { resource, segment, namespace, partition, gained, lost } = difference
  return {
    Text: rightText(difference),
    Resource: resource,
    ...(segment ? { Segment: segment.label, Match: segment.match } : {}),
    Namespace: namespace.match === 'exact' && namespace.label === '*' ? ANY : scopeText(namespace),
    Partition: scopeText(partition),
    Gained: gained,
    Lost: lost
  }
}

const subjectView = (subject: AffectedSubject) => {
  const { tenancy } = subject.row
  if (subject.kind === 'binding rule') {
    const { ID, AuthMethod, Selector } = subject.row.rule
    const details = {
      Name: subject.name,
      ...tenancyViewOf(tenancy),
      AuthMethod,
      Selector: Selector || undefined
    }
    return { Kind: subject.kind, ID, ...details }
  }
  const { AccessorID, Description, AuthMethod } = subject.row.token
  return {
    Kind: AuthMethod === '' ? 'token' : 'login',
    ID: AccessorID,
    Name: Description || undefined,
    ...tenancyViewOf(tenancy),
    AuthMethod: AuthMethod || undefined
  }
}

const effectView = ({ datacenter, rights, omittedRights, count, subjects }: ImpactEffect) => ({
  Datacenter: datacenter,
  Tokens: count,
  Subjects: subjects.map(subjectView),
  Rights: rights.map(rightView),
  OmittedRights: omittedRights || undefined
})

const timeOf = (minute: number): string => formatTime(minute * MINUTE_MS)

const changedView = ({ answer, accessor, datacenter, question }: ChangedQuestion) => {
  const { resource, access, segment, extent, partition, namespace, count, last } = question
  return {
    Answer: answer,
    AccessorID: accessor,
    Datacenter: datacenter,
    Resource: resource,
    Access: access,
    Segment: segment,
    Extent: extent,
    ...tenancyViewOf({ partition, namespace }),
    Count: count,
    LastAsked: timeOf(last)
  }
}

const recordedView = ({ counts, changed }: RecordedImpact, { servers, notHeard }: CollectedUsage) => {
  const begins = servers.map(({ observed: [first] }) => first?.[0])
  const since = begins.includes(undefined) ? undefined : Math.max(...begins.map(begin => begin ?? 0))
  return {
    Since: since === undefined ? undefined : timeOf(since),
    Gaps: servers.reduce((sum, { observed }) => sum + Math.max(0, observed.length - 1), 0),
    Lost: servers.reduce((sum, { lost }) => sum + lost, 0),
    Servers: servers.map(({ name }) => name),
    NotHeard: notHeard,
    Kept: counts.kept,
    Denied: counts.denied,
    Allowed: counts.allowed,
    Unknown: counts.unknown,
    Changed: changed.map(changedView)
  }
}

function* serialized(steps: Steps<AclImpact>, stored: CollectedUsage): Steps<string> {
  const { tokens, effects, omitted, recorded } = yield* steps
  const shown: string[] = []
  for (const effect of effects.slice(0, MOST_EFFECTS)) {
    yield
    shown.push(JSON.stringify(effectView(effect)))
  }
  const others = omitted + effects.length - shown.length
  const head = JSON.stringify({
    Tokens: tokens,
    Omitted: others || undefined,
    Recorded: recordedView(recorded, stored)
  })
  return `${head.slice(0, -1)},"Effects":[${shown.join(',')}]}`
}

/** Returns the effects of a change on the tokens and binding rules that the caller may read, as JSON. */
export const readImpact = (
  request: RequestContext,
  change: AclChange,
  recorded: CollectedUsage
): Promise<string> => {
  const readable = new Map<string, boolean>()
  const mayRead = (tenancy: Tenancy): boolean =>
    getOrCreate(readable, spaceOf(tenancy), () => request.may('acl', 'read', '', tenancy))
  const options = { now: request.now, mayRead, recorded: recorded.questions }
  return runBeside(serialized(impactOf(change, options), recorded), request.readerCheck())
}

/** Decides a command on a draft. @throws Refusal as the command does */
export const decidedOn = <K extends Kind>(
  request: RequestContext,
  ref: ActorRef<K>,
  command: Commands[K]
): AclChange => {
  const before = request.views
  const after = new DraftViews(before)
  const events = eventsOf(decideOn(after, ref, command))
  after.draft(events, formatTime(request.now))
  return { before, after, events }
}

/** Decides an update on a draft. @throws Refusal as the update does */
const draftOf = async (request: RequestContext, update: Route): Promise<AclChange> => {
  const before = request.views
  const after = new DraftViews(before)
  const events: Event[] = []
  const params = Object.fromEntries(parametersIn(update.path).map(name => [name, request.param(name)]))
  const { url, body } = request
  const inner = request.subRequest(
    update,
    { method: update.method, url, params, body },
    {
      draft: {
        views: after,
        take: (ref, command) => {
          const decided = eventsOf(decideOn(after, ref, command))
          after.draft(decided, formatTime(request.now))
          events.push(...decided)
          return empty(200)
        }
      }
    }
  )
  inner.usage.end()
  await update.handle(inner)
  return { before, after, events }
}

/** The kinds of which only the tokens with the rights of one resource are collected. */
const HELD: Readonly<Record<string, HeldResource['kind']>> = {
  updatePolicy: 'policy',
  updateRole: 'role',
  updateToken: 'token'
}

/** Repeats the comparison if links changed meanwhile; the last attempt counts. @throws Refusal as `decide` does */
export const stableImpact = async (
  request: RequestContext,
  decide: () => AclChange | Promise<AclChange>,
  collect: () => Promise<CollectedUsage>
): Promise<string> => {
  const { policies, roles, namespaces, bindingRules } = request.views
  const version = (): string => [policies, roles, namespaces, bindingRules].map(({ index }) => index).join()
  for (let attempt = 1; ; attempt++) {
    const current = version()
    const change = await decide()
    const found = await readImpact(request, change, await collect())
    if (version() === current || attempt === MOST_ATTEMPTS) return found
  }
}

const UPDATES = ['updatePolicy', 'updateRole', 'updateToken', 'updateBindingRule', 'updateNamespace'] as const

const impactRoute = (update: Route, collection: UsageCollection): Route => ({
  tag: update.tag,
  ...(update.tenancy === undefined ? {} : { tenancy: update.tenancy }),
  ...(update.dc === undefined ? {} : { dc: update.dc }),
  ...(update.belongsTo === undefined ? {} : { belongsTo: update.belongsTo }),
  ...(update.body === undefined ? {} : { body: update.body }),
  access: requires('acl:read', 'and the permissions of the update'),
  method: 'POST',
  process: 'main',
  path: `${update.path}/impact`,
  operationId: `${update.operationId.replace('update', 'read')}Impact`,
  summary: `${update.summary} in a dry run, and return the rights that tokens and logins gain and lose`,
  idempotency: 'nothing written',
  response: impact,
  handle: async request => {
    request.require('acl', 'read')
    const kind = HELD[update.operationId]
    const [id = ''] = parametersIn(update.path).map(name => request.param(name).toLowerCase())
    const collect = () => collection.of(request, kind && { kind, id }, 0)
    return jsonText(await stableImpact(request, () => draftOf(request, update), collect))
  }
})

/** @param routes with the update operations */
export const impactRoutes = (collection: UsageCollection, routes: readonly Route[]): readonly Route[] =>
  UPDATES.map(operationId => {
    const update = routes.find(route => route.operationId === operationId)
    if (!update) throw new Error(`there is no operation ${operationId}`)
    return impactRoute(update, collection)
  })
