// Runs a change set: each change is its ordinary request, whose command is decided on a draft.
import { setImmediate } from 'node:timers/promises'
import { stringify } from 'lossless-json'
import { eventsOf } from '../../../actors/aggregate.js'
import { CHANGE_KIND_PLACES } from '../../../actors/change-set/change-kind-names.js'
import {
  ChangeSetDraft,
  decideChanges,
  describeTarget,
  type ChangeOutcome,
  type ChangeStep,
  type ChangeTarget
} from '../../../actors/change-set/change-set-draft.js'
import { inCluster } from '../../../actors/ref.js'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { decideOn } from '../../../actors/aggregates.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { recover } from '../../../events/errors.js'
import type { AclChange } from '../../../projections/acl/impact/changed-links.js'
import { eventOf } from '../../../projections/projection.js'
import { remotePrimary } from '../../../server/settings/datacenters.js'
import { CHUNK_MS } from '../../wire/cooperative-chunks.js'
import type { RequestContext } from '../../wire/request-context.js'
import { empty, type RouteResponse } from '../../wire/response.js'
import type { Route } from '../../wire/route.js'
import type { RevertWrite } from '../events/revert/revert-requests.js'
import { answerOf, outcomeJson, withImpact } from './change-set-answer.js'
import type { ChangeResult, ChangeSet, PlannedChange, ShownResult } from './planned-change.js'

/** The parameters that name the tenancy of a resource. */
const tenancyQuery = ({ kind, tenancy: { partition, namespace } }: ChangeTarget): Record<string, string> => {
  switch (CHANGE_KIND_PLACES[kind]) {
    case 'namespace':
      return { ns: namespace, partition }
    case 'partition':
      return { partition }
    case 'cluster':
      return {}
  }
}

const placed = ({ target, position }: PlannedChange): Pick<PlannedChange, 'target' | 'position'> =>
  position === undefined ? { target } : { target, position }

class ChangeSetRun {
  readonly #draft: ChangeSetDraft
  #chunkEnd = performance.now() + CHUNK_MS

  constructor(
    private readonly request: RequestContext,
    private readonly changeSet: ChangeSet,
    private readonly routes: readonly Route[]
  ) {
    this.#draft = new ChangeSetDraft(request.views, changeSet.owner, request.now)
  }

  /**
   * Decides all changes. Refused ones are tried again after the others, while that helps: one may refer to another.
   * @throws Refusal `denied` of any change, before anything is known about the others
   */
  async decide(): Promise<readonly ShownResult[]> {
    const decided: ChangeResult[] = []
    let pending = this.changeSet.changes
    for (;;) {
      const refused: { readonly change: PlannedChange; readonly refusal: Refusal }[] = []
      for (const change of pending)
        try {
          await this.#yield()
          decided.push({ ...placed(change), ...(await this.#decideOne(change)) })
        } catch (error) {
          if (!(error instanceof Refusal) || error.kind === 'denied') throw error
          refused.push({ change, refusal: error })
        }
      if (refused.length === 0 || refused.length === pending.length)
        return this.#checked([
          ...decided,
          ...refused.map(({ change, refusal }) => ({ ...placed(change), refusal }))
        ])
      pending = refused.map(({ change }) => change)
    }
  }

  /** Refuses the configuration entries that conflict in the state after all changes. */
  async #checked(results: readonly ChangeResult[]): Promise<readonly ShownResult[]> {
    const shown: ShownResult[] = []
    for (const result of results) {
      await this.#yield()
      const checked = this.#withFault(result)
      shown.push({ ...checked, json: outcomeJson(this.request, checked, false) })
    }
    return shown
  }

  #withFault(result: ChangeResult): ChangeResult {
    if ('refusal' in result) return result
    const check = (): ChangeResult => {
      this.#draft.checkEntries([result.outcome])
      return result
    }
    const { step: _step, outcome: _outcome, ...change } = result
    return recover(check, Refusal, refusal => ({ ...change, refusal }))
  }

  /** Returns the whole change; its results must have been decided. */
  changeOf(results: readonly ShownResult[]): AclChange {
    const events = results.flatMap(result => ('outcome' in result ? result.outcome.events : []))
    return { before: this.request.views, after: this.#draft.views, events }
  }

  async #yield(): Promise<void> {
    if (performance.now() < this.#chunkEnd) return
    await setImmediate()
    if (this.request.isGone) throw new Refusal('request.unavailable', 'The client has disconnected')
    this.#chunkEnd = performance.now() + CHUNK_MS
  }

  async #decideOne({ target, requestOf, permit }: PlannedChange) {
    const { request } = this
    permit?.()
    const fact = this.#draft.find(target)
    const write = requestOf(fact && eventOf(fact))
    const route = this.routes.find(({ operationId }) => operationId === write.operationId)
    if (!route) throw new Error(`there is no operation ${write.operationId}`)
    let result: { readonly step: ChangeStep; readonly outcome: ChangeOutcome } | undefined
    let refusal: unknown
    const { newId } = write
    const inner = request.subRequest(route, inputOf(route, target, write), {
      ...(newId === undefined ? {} : { newId }),
      draft: {
        views: this.#draft.views,
        take: (ref, command) => {
          const step: ChangeStep = { target, decide: views => eventsOf(decideOn(views, ref, command)) }
          try {
            result = { step, outcome: this.#draft.apply(step) }
            return empty(200)
          } catch (error) {
            refusal = error
            throw error
          }
        }
      }
    })
    this.#requireOwn(route, inner, target)
    await route.handle(inner)
    // Some routes answer a conflict with `false`.
    if (refusal !== undefined) throw refusal
    if (!result) throw new Error(`${write.operationId} sent no command`)
    return result
  }

  /** @throws Refusal `invalid` for a resource that the primary datacenter writes */
  #requireOwn(route: Route, inner: RequestContext, target: ChangeTarget): void {
    const primary = remotePrimary(this.request.settings)
    if (primary !== undefined && route.belongsTo?.(inner) === primary)
      throw invalid(
        'changes.invalid',
        `${describeTarget(target)} is written in the primary datacenter: send the change set there (dc=${primary})`
      )
  }
}

const inputOf = (route: Route, target: ChangeTarget, { params = {}, query = {}, body }: RevertWrite) => ({
  method: route.method,
  url: `${route.path}?${new URLSearchParams({ ...query, ...tenancyQuery(target) }).toString()}`,
  params,
  body: body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(stringify(body) ?? '')
})

/** Returns the steps that change anything. @throws Refusal of a change, naming it; `too-large` */
const effectiveSteps = (results: readonly ChangeResult[], most: number): readonly ChangeStep[] => {
  const steps: ChangeStep[] = []
  for (const result of results) {
    if ('refusal' in result) {
      const { code, message } = result.refusal
      const isNamed = code.startsWith('changes.')
      throw isNamed ? result.refusal : new Refusal(code, `${describeTarget(result.target)}: ${message}`)
    }
    if (result.outcome.action !== 'none') steps.push(result.step)
  }
  if (steps.length > most)
    throw new Refusal(
      'changes.too-large',
      `The change set has ${steps.length} changes, and a commit at most ${most} (limits.txn_max_ops): send it in several parts with the same ID`
    )
  return steps
}

/** Returns the same value while the caller has the same permissions. */
const permissionsOf = ({ currentViews, secret, clock }: RequestContext): unknown =>
  currentViews.resolver.resolve(secret, clock.now())?.authorizer

/**
 * Decides a change set and stores it as one commit, or returns the outcome of a dry run.
 * @param routes with the write operations
 * @param impactOf returns the JSON of the impact, for a dry run that requests it
 * @throws Refusal of any change; nothing is changed
 */
export const runChangeSet = async (
  request: RequestContext,
  changeSet: ChangeSet,
  routes: readonly Route[],
  impactOf?: (change: AclChange) => Promise<string>
): Promise<RouteResponse> => {
  request.requireToken()
  const { id, owner, isDryRun, cause } = changeSet
  if (isDryRun) request.usage.end()
  if (impactOf && !isDryRun) throw invalid('changes.invalid', 'Invalid impact: it needs dry-run')
  if (impactOf) request.require('acl', 'read')
  const permissions = permissionsOf(request)
  const run = new ChangeSetRun(request, changeSet, routes)
  const results = await run.decide()
  const answer = (index?: number, stored: ReadonlyMap<ChangeTarget, string> = new Map()): RouteResponse =>
    answerOf(
      request,
      changeSet,
      results.map(({ target, json }) => stored.get(target) ?? json),
      index
    )
  if (isDryRun) return impactOf ? withImpact(answer(), await impactOf(run.changeOf(results))) : answer()
  const steps = effectiveSteps(results, request.settings.limits.txn_max_ops)
  if (steps.length === 0) return answer()
  if (permissionsOf(request) !== permissions)
    throw new Refusal(
      'changes.stale',
      'The permissions of the caller changed meanwhile: send the change set again'
    )
  const command = {
    ...request.command(
      'ApplyChangeSet',
      { decide: decideChanges(steps, owner, request.now) },
      DEFAULT_TENANCY
    ),
    changeSet: { id, owner },
    ...(cause === undefined ? {} : { cause })
  }
  return request.write(inCluster('ChangeSet', id), command, ({ outcomes }) => {
    const shown = new Map<ChangeTarget, string>()
    for (const result of results) {
      const at = 'step' in result ? steps.indexOf(result.step) : -1
      const outcome = outcomes[at]
      if (outcome && 'step' in result)
        shown.set(result.target, outcomeJson(request, { ...result, outcome }, true))
    }
    return answer(request.currentViews.index, shown)
  })
}
