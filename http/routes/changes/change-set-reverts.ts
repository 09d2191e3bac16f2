import { inject, Lifecycle, scoped } from 'tsyringe'
import { causeOf } from '../../../actors/aggregate.js'
import { CHANGE_KIND_PLACES } from '../../../actors/change-set/change-kind-names.js'
import { CHANGE_KINDS, changeKindOf } from '../../../actors/change-set/change-kinds.js'
import { isEnd } from '../../../actors/change-set/change-set-draft.js'
import { Refusal } from '../../../actors/refusal.js'
import { DEFAULT_TENANCY, type Commit, type Event } from '../../../events/envelope.js'
import { CommitsPruned, type LogReader, type ResourceKey } from '../../../events/log/log.js'
import { isTokenEvent } from '../../../events/token.js'
import { comesWithTenancy } from '../../../projections/change-sets.js'
import { EVENT_LOG } from '../../../server/settings/ports.js'
import { requireVisible } from '../../history/history-endpoint.js'
import { VersionReader } from '../../history/versions.js'
import type { RequestContext } from '../../wire/request-context.js'
import type { RouteResponse } from '../../wire/response.js'
import type { Route } from '../../wire/route.js'
import { REVERTIBLE } from '../events/revert/revert-requests.js'
import { firstValueOf, integer } from '../../stream/parameter-values.js'
import { runChangeSet } from './change-set-run.js'
import type { PlannedChange } from './planned-change.js'

/** The last change of a resource by a change set. */
interface LastChange {
  readonly resource: ResourceKey
  readonly event: Event
  readonly index: number
}

const gone = (id: string): Refusal =>
  new Refusal(
    'history.pruned',
    `The versions before change set ${JSON.stringify(id)} are no longer retained`,
    'retained'
  )

/** Tokens of logins end with their auth method, and only a login creates them. */
const isRevertible = (event: Event): boolean =>
  changeKindOf(event.Topic) !== undefined &&
  !(isTokenEvent(event) && event.Payload.ACLToken.AuthMethod !== '')

/** Reverts change sets by the ordinary writes, like single reverts. */
@scoped(Lifecycle.ContainerScoped)
export class ChangeSetReverts {
  constructor(
    @inject(EVENT_LOG) private readonly log: LogReader,
    private readonly versions: VersionReader
  ) {}

  /** @param routes with the write operations. @throws Refusal `missing`, `conflict` if another commit changed a resource since */
  async answer(request: RequestContext, routes: readonly Route[]): Promise<RouteResponse> {
    request.requireToken()
    const id = request.param('id')
    const all = request.views.changeSets.commitsOf(id)
    const only = firstValueOf(request.query, 'commit')
    const indexes = only === undefined ? all : all.filter(index => index === integer(only, 'commit'))
    const [first] = indexes
    if (first === undefined)
      throw new Refusal(
        'changes.not-found',
        `No commit of change set ${JSON.stringify(id.slice(0, 64))} is known`
      )
    await request.committer.durable()
    const last = await this.#lastChanges(id, indexes)
    const changes: PlannedChange[] = []
    for (const one of last) {
      const before = await this.versions.newest(one.resource, first - 1)
      if (!before && comesWithTenancy(one.event)) continue
      if (before) requireVisible(request, one.resource, before)
      if (!before && first <= this.log.firstIndex) throw gone(id)
      if (before?.event.Erased)
        throw new Refusal(
          'history.erased',
          `A version before change set ${JSON.stringify(id)} is erased`,
          'erased'
        )
      changes.push(this.#changeOf(request, one, before?.event))
    }
    const isDryRun = request.query.has('dry-run')
    const own = { id: request.newId(), owner: undefined, isDryRun, ...causeOf(indexes), reverts: indexes }
    return runChangeSet(request, { ...own, changes: changes.toReversed() }, routes)
  }

  /** Returns the last change of each resource, in the order of the first ones. */
  async #lastChanges(id: string, indexes: readonly number[]): Promise<readonly LastChange[]> {
    const changed = new Map<string, LastChange>()
    for (const index of indexes)
      for (const event of (await this.#commit(id, index)).Events) {
        if (!isRevertible(event)) continue
        const { Topic: topic, Partition: partition, Namespace: namespace, Key: key } = event
        const resource = { topic, partition, namespace, key }
        changed.set(JSON.stringify(resource), { resource, event, index })
      }
    return [...changed.values()]
  }

  /** @throws Refusal `gone` if it was pruned */
  async #commit(id: string, index: number): Promise<Commit> {
    try {
      for await (const commit of this.log.read(index)) return commit
    } catch (error) {
      if (!(error instanceof CommitsPruned)) throw error
    }
    throw gone(id)
  }

  #changeOf(
    request: RequestContext,
    { resource, event, index }: LastChange,
    before: Event | undefined
  ): PlannedChange {
    const { topic, partition, namespace, key } = resource
    const kind = changeKindOf(topic)
    const revertible = REVERTIBLE[topic]
    if (kind === undefined || !revertible) throw new Error(`no request reverts ${topic}`)
    const tenancy = CHANGE_KIND_PLACES[kind] === 'cluster' ? DEFAULT_TENANCY : { partition, namespace }
    const existed = before !== undefined && !isEnd(before)
    const name = CHANGE_KINDS[kind].nameOf(event)
    const expected = isEnd(event) && !isMarked(event) ? 0 : index
    return {
      target: { kind, tenancy, name, key, expected, isDeletion: !existed },
      requestOf: current => {
        const write = existed
          ? revertible.put(before, current !== undefined, request)
          : revertible.remove(current ?? event)
        if (!write) throw new Error(`no request writes ${topic} ${key}`)
        return write
      }
    }
  }
}

/** A namespace or partition that is being deleted still exists. */
const isMarked = ({ Type }: Event): boolean => Type.endsWith('Upserted')
