// Impacts of updates, which are decided on a draft.
import { eventsOf } from '../../../../actors/aggregate.js'
import { decideOn, type Commands, type Kind } from '../../../../actors/aggregates.js'
import type { ActorRef } from '../../../../actors/ref.js'
import type { Event } from '../../../../events/envelope.js'
import { formatTime } from '../../../../events/time.js'
import type { AclChange } from '../../../../projections/acl/impact/changed-links.js'
import type { HeldResource } from '../../../../projections/acl/usage/holders.js'
import { DraftViews } from '../../../../projections/draft-views.js'
import { impact } from '../../../schemas/impact.js'
import type { RequestContext } from '../../../wire/request-context.js'
import { empty, jsonText } from '../../../wire/response.js'
import { parametersIn } from '../../../wire/route-path.js'
import { requires, type Route } from '../../../wire/route.js'
import type { Impacts } from './impacts.js'

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

const UPDATES = ['updatePolicy', 'updateRole', 'updateToken', 'updateBindingRule', 'updateNamespace'] as const

const impactRoute = (update: Route, impacts: Impacts): Route => ({
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
    const held = kind && { kind, id }
    return jsonText(await impacts.stable(request, () => draftOf(request, update), held, 0))
  }
})

/** @param routes with the update operations */
export const impactRoutes = (impacts: Impacts, routes: readonly Route[]): readonly Route[] =>
  UPDATES.map(operationId => {
    const update = routes.find(route => route.operationId === operationId)
    if (!update) throw new Error(`there is no operation ${operationId}`)
    return impactRoute(update, impacts)
  })
