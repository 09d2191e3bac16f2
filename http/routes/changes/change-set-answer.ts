import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'lossless-json'
import { CHANGE_KIND_PLACES } from '../../../actors/change-set/change-kind-names.js'
import type { ChangeOutcome } from '../../../actors/change-set/change-set-draft.js'
import type { Refusal } from '../../../actors/refusal.js'
import { type Event } from '../../../events/envelope.js'
import { isTokenEvent } from '../../../events/token.js'
import { visibleEvent } from '../../../projections/stream/topics.js'
import { statusOf, jsonText, type RouteResponse } from '../../wire/response.js'
import type { RequestContext } from '../../wire/request-context.js'
import { eventHead, patchBetween } from '../events/revert/reverts.js'
import type { ChangeResult, ChangeSet, PlannedChange } from './planned-change.js'

type Placed = Pick<PlannedChange, 'target' | 'position'>

const named = ({ target: { kind, name, tenancy }, position }: Placed): object => {
  const { partition, namespace } = tenancy
  return {
    Kind: kind,
    Name: name,
    ...(position === undefined ? {} : { Position: position }),
    ...(CHANGE_KIND_PLACES[kind] === 'namespace' ? { Namespace: namespace } : {}),
    ...(partition === 'default' ? {} : { Partition: partition })
  }
}

const refusedView = (placed: Placed, refusal: Refusal): object => ({
  ...named(placed),
  Action: 'refused',
  Index: 0,
  Patch: [],
  Refusal: { Status: statusOf(refusal), Message: refusal.message, Code: refusal.code }
})

/** Only the writer of a token that it creates may learn its secret here. */
const secretView = (event: Event, isStored: boolean): object =>
  isStored && isTokenEvent(event) ? { SecretID: event.Secrets?.['SecretID'] } : {}

const outcomeView = (
  request: RequestContext,
  placed: Placed,
  { action, before, event, index, events }: ChangeOutcome,
  isStored: boolean
): object => {
  const authorizer = request.usage.credited
  const visible = (one: Event | undefined): Event | undefined =>
    one && visibleEvent(authorizer, one, 'resource')
  const head = { ...named(placed), Action: action, Index: index }
  if (!event) return { ...head, Patch: [] }
  const isUpdate = action === 'update'
  const others = events.filter(one => one !== event && visible(one))
  return {
    ...head,
    Patch: patchBetween(visible(before), visible(event)),
    ...(isUpdate && !isDeepStrictEqual(before?.Secrets ?? {}, event.Secrets ?? {})
      ? { SecretsChange: true }
      : {}),
    ...(action === 'create' ? secretView(event, isStored) : {}),
    ...(others.length === 0 ? {} : { Others: others.map(eventHead) })
  }
}

/** Returns the part of a response about a change, as JSON. @param isStored false for a dry run */
export const outcomeJson = (request: RequestContext, result: ChangeResult, isStored: boolean): string =>
  stringify(
    'refusal' in result
      ? refusedView(result, result.refusal)
      : outcomeView(request, result, result.outcome, isStored)
  ) ?? ''

/** Returns the response to a change set. @param index of its commit; undefined without one */
export const answerOf = (
  request: RequestContext,
  { id, owner, isDryRun, reverts }: ChangeSet,
  changes: readonly string[],
  index?: number
): RouteResponse => {
  const head = JSON.stringify({
    ID: id,
    ...(index === undefined ? {} : { Index: index }),
    ...(isDryRun ? { DryRun: true } : {}),
    ...(owner === undefined ? {} : { Owner: owner }),
    ...(reverts === undefined ? {} : { Reverts: reverts }),
    Limit: request.settings.limits.txn_max_ops
  })
  return jsonText(`${head.slice(0, -1)},"Changes":[${changes.join(',')}]}`)
}

/** Adds the impact of a dry run to its response. @param impact as JSON */
export const withImpact = ({ body }: RouteResponse, impact: string): RouteResponse =>
  jsonText(`${body.toString().slice(0, -1)},"Impact":${impact}}`)
