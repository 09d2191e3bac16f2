// The commands that delete the content of a namespace or partition (spec: tenancy.md §3, §4.3).
import { CONFIG_KINDS } from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import { Views } from '../../../projections/read-models.js'
import type { Kind, Commands } from '../../aggregates.js'
import { nodeRef } from '../../catalog/catalog.js'
import { type Command, SERVER, causeOf } from '../../aggregate.js'
import { configEntryRef } from '../../config-entry/config-entry.js'
import { namespaceRef } from '../../namespace.js'
import { type ActorRef, inNamespace } from '../../ref.js'
import { ActorSystem } from '../../system.js'
import { setImmediate } from 'node:timers/promises'
import { Lifecycle, scoped } from 'tsyringe'
import { Clock } from '../../clock.js'

type DeletionOrigin = Pick<Command, 'at' | 'cause'>

type ResourceDeletion = (system: ActorSystem, origin: DeletionOrigin) => Promise<unknown>

/** Iterates over the deletions of one kind. The caller deletes between items, so an iteration that must not meet changes reads its rows in pages. */
export type RemainingResources = (views: Views, tenancy: Tenancy) => Iterable<ResourceDeletion>

type Common = Pick<Command, 'tenancy' | 'caller' | 'at' | 'cause'>

const deletion =
  <K extends Kind>(
    ref: ActorRef<K>,
    tenancy: Tenancy,
    make: (common: Common) => Commands[K]
  ): ResourceDeletion =>
  (system, origin) =>
    system.ask(ref, make({ tenancy, caller: SERVER, ...origin }))

const command =
  <const Name extends string, const Data>(name: Name, data: Data) =>
  (common: Common) => ({ ...common, name, data })

/** The deletion of a resource of a namespace. */
const deletionWithin = <K extends Kind>(
  kind: K,
  tenancy: Tenancy,
  key: string,
  make: (common: Common) => Commands[K]
): ResourceDeletion => deletion(inNamespace(kind, tenancy, key), tenancy, make)

const tokenDeletion = (tenancy: Tenancy, accessor: string): ResourceDeletion =>
  deletionWithin('ACLToken', tenancy, accessor, command('DeleteToken', { accessor }))

const tokens: RemainingResources = function* (views, tenancy) {
  for (const { token } of views.tokens.within(tenancy)) yield tokenDeletion(tenancy, token.AccessorID)
}

/** Tokens of logins in other namespaces, one by one; deleting their method would delete all at once. */
const tokensOfMethods: RemainingResources = function* (views, tenancy) {
  for (const { method } of views.authMethods.within(tenancy))
    for (const row of views.tokens.createdByLogin(tenancy, method.Name))
      if (row.isOwned(views.settings)) yield tokenDeletion(row.tenancy, row.token.AccessorID)
}

const authMethods: RemainingResources = function* (views, tenancy) {
  for (const { method } of views.authMethods.within(tenancy))
    yield deletionWithin(
      'ACLAuthMethod',
      tenancy,
      method.Name,
      command('DeleteAuthMethod', { name: method.Name })
    )
}

const bindingRules: RemainingResources = function* (views, tenancy) {
  for (const { rule } of views.bindingRules.within(tenancy))
    yield deletionWithin('ACLBindingRule', tenancy, rule.ID, command('DeleteBindingRule', { id: rule.ID }))
}

const sessions: RemainingResources = function* (views, tenancy) {
  for (const { session } of views.sessions.within(tenancy))
    yield deletionWithin('Session', tenancy, session.ID, command('DestroySession', { id: session.ID }))
}

/** Keys per page: the tree must not change during an iteration. */
const KEYS_PER_PAGE = 256

const keys: RemainingResources = function* (views, tenancy) {
  let after: { key: string; withSubtree: boolean } | undefined
  for (;;) {
    const page: string[] = []
    for (const { key } of views.kv.walk(tenancy, '', after)) if (page.push(key) === KEYS_PER_PAGE) break
    for (const key of page) yield deletionWithin('KV', tenancy, key, command('DeleteKey', { key }))
    const last = page.at(-1)
    if (last === undefined) return
    after = { key: last, withSubtree: false }
  }
}

/** Includes their checks. Nodes and their own checks have no namespace. */
const services: RemainingResources = function* (views, tenancy) {
  for (const group of views.catalog.space(tenancy).byName.all())
    for (const { host, state } of group.unchanging())
      yield deregistration(tenancy, host.name, state.service.ID)
}

const deregistration = (tenancy: Tenancy, node: string, serviceId = ''): ResourceDeletion =>
  deletion(nodeRef(tenancy.partition, node), tenancy, command('Deregister', { node, serviceId, checkId: '' }))

const configEntries: RemainingResources = function* (views, tenancy) {
  for (const kind of CONFIG_KINDS)
    for (const { name } of views.config.within(kind, tenancy))
      yield deletion(
        configEntryRef(tenancy, kind, name),
        tenancy,
        command('RemoveConfigEntry', { kind, name })
      )
}

const roles: RemainingResources = function* (views, tenancy) {
  for (const { role } of views.roles.within(tenancy))
    yield deletionWithin('ACLRole', tenancy, role.ID, command('DeleteRole', { id: role.ID }))
}

const policies: RemainingResources = function* (views, tenancy) {
  for (const { policy } of views.policies.within(tenancy))
    yield deletionWithin('ACLPolicy', tenancy, policy.ID, command('DeletePolicy', { id: policy.ID }))
}

/**
 * Tokens first, so that no caller of the tenant can act meanwhile, then the methods that could create new ones. Keys before the sessions that hold
 * them, and policies after the resources that link to them, so that no deletion has further effects.
 */
export const namespaceResources: readonly RemainingResources[] = [
  tokens,
  tokensOfMethods,
  authMethods,
  bindingRules,
  keys,
  sessions,
  services,
  configEntries,
  roles,
  policies
]

/** Unmarked namespaces of a partition. Once marked, they are deleted like every other namespace. */
export const namespaceDeletionMarks: RemainingResources = function* (views, { partition }) {
  for (const { namespace, isEnding } of views.namespaces.list(partition))
    if (!isEnding) {
      const own = { partition, namespace: namespace.Name }
      yield deletion(namespaceRef(own), own, command('DeleteNamespaceOfPartition', null))
    }
}

const nodes: RemainingResources = function* (views, { partition }) {
  for (const { host } of views.catalog.nodes.list(partition))
    yield deregistration({ partition, namespace: 'default' }, host.name)
}

const entriesForAll: RemainingResources = (views, { partition }) =>
  configEntries(views, { partition, namespace: '*' })

export const partitionResources: readonly RemainingResources[] = [entriesForAll, nodes]

/** Limit of deletions per step, which share a flush of the log. */
const MAX_DELETIONS = 32
/** A step starts no deletion after this time, which bounds how long requests wait. */
const MAX_STEP_MS = 0.25

interface StepCounts {
  /** Number of attempted and of successful deletions. */
  readonly attempted: number
  readonly done: number
  readonly isOver: boolean
}

/** Runs one step at a time for all namespaces, so that many deletions cost requests as much as one. */
@scoped(Lifecycle.ContainerScoped)
export class DeletionSteps {
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly views: Views,
    private readonly system: ActorSystem,
    private readonly clock: Clock
  ) {}

  /** @param mark returns the index of the commit that marked the tenancy for deletion, while it is marked */
  deleteContent(
    kinds: readonly RemainingResources[],
    tenancy: Tenancy,
    mark: () => number | undefined
  ): ContentDeletion {
    return new ContentDeletion(
      () => walk(kinds, this.views, tenancy),
      remaining => this.#step(remaining, mark)
    )
  }

  /** Runs some deletions and resolves when they are on disk. A refused one does not stop the others. */
  #step(remaining: Iterator<ResourceDeletion>, mark: () => number | undefined): Promise<StepCounts> {
    const run = this.#last.then(async () => {
      // Waiting requests run first.
      await setImmediate()
      const origin = { at: this.clock.now(), ...causeOf([mark()]) }
      const deadline = performance.now() + MAX_STEP_MS
      const attempted: Promise<unknown>[] = []
      let next = remaining.next()
      while (!next.done) {
        const isFull = attempted.push(next.value(this.system, origin)) === MAX_DELETIONS
        if (isFull || performance.now() >= deadline) break
        next = remaining.next()
      }
      const results = await Promise.allSettled(attempted)
      const done = results.filter(({ status }) => status === 'fulfilled').length
      return { attempted: attempted.length, done, isOver: next.done === true }
    })
    this.#last = run.catch(() => undefined)
    return run
  }
}

/** Repeats passes over the remaining resources until one finds nothing. */
class ContentDeletion {
  #walk: Iterator<ResourceDeletion> | undefined
  #attempted = 0
  #done = 0

  constructor(
    private readonly begin: () => Iterator<ResourceDeletion>,
    private readonly runStep: (remaining: Iterator<ResourceDeletion>) => Promise<StepCounts>
  ) {}

  /** `empty`: a complete pass found nothing. `later`: all deletions of a pass were refused. */
  async step(): Promise<'more' | 'later' | 'empty'> {
    const { attempted, done, isOver } = await this.runStep((this.#walk ??= this.begin()))
    this.#attempted += attempted
    this.#done += done
    if (!isOver) return 'more'
    const isEmpty = this.#attempted === 0
    const isStuck = this.#done === 0
    this.#walk = undefined
    this.#attempted = 0
    this.#done = 0
    return isEmpty ? 'empty' : isStuck ? 'later' : 'more'
  }
}

function* walk(
  kinds: readonly RemainingResources[],
  views: Views,
  tenancy: Tenancy
): Generator<ResourceDeletion> {
  for (const kind of kinds) yield* kind(views, tenancy)
}
