// The rights that tokens and future logins gain and lose by an update, which is decided on a draft.
import { eventsOf } from '../../../actors/aggregate.js'
import { decideOn } from '../../../actors/aggregates.js'
import type { Event, Tenancy } from '../../../events/envelope.js'
import { formatTime } from '../../../events/time.js'
import type { AclChange } from '../../../projections/acl/impact/changed-links.js'
import {
  impactOf,
  type AffectedSubject,
  type ImpactEffect
} from '../../../projections/acl/impact/acl-impact.js'
import type { RightsDifference } from '../../../projections/acl/impact/rights-differences.js'
import { scopeText, ruleName } from '../../../projections/acl/rules/model.js'
import { DraftViews } from '../../../projections/draft-views.js'
import { tenancyViewOf } from '../../../projections/tenancy-view.js'
import { impact } from '../../schemas/impact.js'
import { runInChunks } from '../../wire/cooperative-chunks.js'
import type { RequestContext } from '../../wire/request-context.js'
import { empty, json } from '../../wire/response.js'
import { parametersIn } from '../../wire/route-path.js'
import { requires, type Route } from '../../wire/route.js'

const MOST_EFFECTS = 100
const MOST_RIGHTS = 1000
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

const effectView = ({ datacenter, rights, count, subjects }: ImpactEffect) => ({
  Datacenter: datacenter,
  Tokens: count,
  Subjects: subjects.map(subjectView),
  Rights: rights.slice(0, MOST_RIGHTS).map(rightView)
})

/** Returns the view of the effects of a change on the tokens and binding rules that the caller may read. */
export const readImpact = async (request: RequestContext, change: AclChange) => {
  const readable = new Map<string, boolean>()
  const mayRead = (tenancy: Tenancy): boolean => {
    const key = JSON.stringify([tenancy.partition, tenancy.namespace])
    const may = readable.get(key) ?? request.may('acl', 'read', '', tenancy)
    readable.set(key, may)
    return may
  }
  const effects = await runInChunks(impactOf(change, { now: request.now, mayRead }), request.readerCheck())
  const omitted = effects.length - MOST_EFFECTS
  return {
    Tokens: effects.reduce((sum, { count }) => sum + count, 0),
    ...(omitted > 0 ? { Omitted: omitted } : {}),
    Effects: effects.slice(0, MOST_EFFECTS).map(effectView)
  }
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
  await update.handle(inner)
  return { before, after, events }
}

const UPDATES = ['updatePolicy', 'updateRole', 'updateToken', 'updateBindingRule', 'updateNamespace'] as const

const impactRoute = (update: Route): Route => ({
  tag: update.tag,
  ...(update.tenancy === undefined ? {} : { tenancy: update.tenancy }),
  ...(update.dc === undefined ? {} : { dc: update.dc }),
  ...(update.belongsTo === undefined ? {} : { belongsTo: update.belongsTo }),
  ...(update.body === undefined ? {} : { body: update.body }),
  access: requires('acl:read', 'and the permissions of the update'),
  method: 'POST',
  path: `${update.path}/impact`,
  operationId: `${update.operationId.replace('update', 'read')}Impact`,
  summary: `${update.summary} in a dry run, and return the rights that tokens and logins gain and lose`,
  idempotency: 'nothing written',
  response: impact,
  handle: async request => {
    request.require('acl', 'read')
    return json(await readImpact(request, await draftOf(request, update)))
  }
})

/** @param routes with the update operations */
export const impactRoutes = (routes: readonly Route[]): readonly Route[] =>
  UPDATES.map(operationId => {
    const update = routes.find(route => route.operationId === operationId)
    if (!update) throw new Error(`there is no operation ${operationId}`)
    return impactRoute(update)
  })
