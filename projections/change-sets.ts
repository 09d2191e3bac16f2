// The owners of resources and the commits of change sets, from the origins of commits.
import { AUTH_METHOD_TOPIC } from '../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../events/binding-rule.js'
import { CONFIG_ENTRY_TOPIC } from '../events/config-entry.js'
import type { Commit, Event } from '../events/envelope.js'
import { KV_TOPIC } from '../events/kv.js'
import { type ResourceKey, resourceOf } from '../events/log/log.js'
import { isNamespaceEvent, NAMESPACE_TOPIC, PARTITION_TOPIC } from '../events/namespace.js'
import { isPolicyEvent, POLICY_TOPIC } from '../events/policy.js'
import { QUERY_TOPIC } from '../events/prepared-query.js'
import { ROLE_TOPIC } from '../events/role.js'
import { isTokenEvent, ownerOfSpecification, TOKEN_TOPIC } from '../events/token.js'
import { getOrCreate } from './maps.js'
import { derivedState, type Fact, type Projection } from './projection.js'

/** The number of change sets whose commits are known. */
const MOST_CHANGE_SETS = 10_000

/** The number of commits that one change set may have. */
export const MOST_COMMITS = 1000

/** The topics of resources that change sets change. */
export const CHANGE_TOPICS = [
  PARTITION_TOPIC,
  NAMESPACE_TOPIC,
  POLICY_TOPIC,
  ROLE_TOPIC,
  AUTH_METHOD_TOPIC,
  BINDING_RULE_TOPIC,
  TOKEN_TOPIC,
  CONFIG_ENTRY_TOPIC,
  QUERY_TOPIC,
  KV_TOPIC
] as const

type OwnedRow = readonly [owner: string, resource: ResourceKey]

/** Names of topics and tenancies contain no slash. */
const placeOf = ({ topic, partition, namespace }: ResourceKey): string => `${topic}/${partition}/${namespace}`

/** The policy that comes with a namespace. */
export const NAMESPACE_POLICY = 'namespace-management'

/** Returns true for the resources that come with a namespace or partition. */
export const comesWithTenancy = (event: Event): boolean =>
  isPolicyEvent(event)
    ? event.Payload.ACLPolicy.Name === NAMESPACE_POLICY
    : isNamespaceEvent(event) && event.Key === 'default'

/** Returns false also for tokens without a specification. */
export const canHaveOwner = (event: Event): boolean =>
  isTokenEvent(event) ? event.Payload.ACLToken.Specification !== undefined : !comesWithTenancy(event)

/** A resource keeps its owner until its end. Other callers may change it. */
const ownerAfter = (event: Event, { By }: Commit): string | undefined => {
  if (isTokenEvent(event)) return ownerOfSpecification(event.Payload.ACLToken)
  return By.Owner !== undefined && canHaveOwner(event) ? By.Owner : undefined
}

/** True for events that end a resource of these topics. */
const isEnd = (event: Event): boolean =>
  event.Type.endsWith('Deleted') ||
  event.Type === 'KVDelete' ||
  (isTokenEvent(event) && event.Payload.ACLToken.RotatedTo !== undefined)

/** Costs: a look-up and a change O(1), `owned` the resources of the owner. About 300 bytes for a resource with an owner. */
export class ChangeSets implements Projection {
  readonly topics = CHANGE_TOPICS
  /** The owned resources of each topic and tenancy by their keys. */
  readonly #owners = new Map<string, Map<string, OwnedRow>>()
  readonly #byOwner = new Map<string, Set<ResourceKey>>()
  /** The commits of each change set, in the order of the first ones. */
  readonly #commits = new Map<string, readonly number[]>()
  readonly memory = {
    owners: derivedState<OwnedRow>({
      clear: () => {
        this.#owners.clear()
        this.#byOwner.clear()
      },
      save: () => this.#ownedRows(),
      load: ([owner, resource]) => this.#own(owner, resource)
    }),
    commits: derivedState<readonly [id: string, indexes: readonly number[]]>({
      clear: () => this.#commits.clear(),
      save: () => this.#commits,
      load: ([id, indexes]) => void this.#commits.set(id, indexes)
    })
  }

  /** Returns the owner label of a resource; undefined without one. */
  ownerOf(resource: ResourceKey): string | undefined {
    return this.#rowOf(resource)?.[0]
  }

  /** Returns the resources of an owner, in the order in which they got it. */
  owned(owner: string): Iterable<ResourceKey> {
    return this.#byOwner.get(owner) ?? []
  }

  /** Returns the indexes of the commits of a change set in ascending order; empty for an unknown one, or after many later ones. */
  commitsOf(id: string): readonly number[] {
    return this.#commits.get(id) ?? []
  }

  apply(event: Event, commit: Commit): void {
    const { ChangeSet, Owner } = commit.By
    if (ChangeSet !== undefined) this.#note(ChangeSet, commit.Index)
    if (Owner === undefined && event.Topic !== TOKEN_TOPIC && this.#owners.size === 0) return
    const owner = ownerAfter(event, commit)
    if (owner === undefined && this.#owners.size === 0) return
    const resource = resourceOf(event)
    if (isEnd(event)) this.#disown(resource)
    else if (owner !== undefined) this.#own(owner, resource)
  }

  /** Ends the ownership of all resources below a prefix, of the topic and tenancy of one of them. Cost: the owned resources there. */
  disownUnder(resource: ResourceKey, prefix: string): void {
    for (const [key, [, owned]] of this.#owners.get(placeOf(resource)) ?? [])
      if (key.startsWith(prefix)) this.#disown(owned)
  }

  *facts(): Iterable<Fact> {}

  reset(): void {
    this.#owners.clear()
    this.#byOwner.clear()
    this.#commits.clear()
  }

  #note(id: string, index: number): void {
    const indexes = this.#commits.get(id) ?? []
    if (indexes.at(-1) === index) return
    this.#commits.set(id, [...indexes, index])
    if (this.#commits.size <= MOST_CHANGE_SETS) return
    const [oldest] = this.#commits.keys()
    if (oldest !== undefined) this.#commits.delete(oldest)
  }

  *#ownedRows(): Iterable<OwnedRow> {
    for (const [owner, resources] of this.#byOwner)
      for (const resource of resources) yield [owner, resource] as const
  }

  #rowOf(resource: ResourceKey): OwnedRow | undefined {
    return this.#owners.get(placeOf(resource))?.get(resource.key)
  }

  #own(owner: string, resource: ResourceKey): void {
    if (this.#rowOf(resource)?.[0] === owner) return
    this.#disown(resource)
    getOrCreate(this.#owners, placeOf(resource), () => new Map<string, OwnedRow>()).set(resource.key, [
      owner,
      resource
    ])
    getOrCreate(this.#byOwner, owner, () => new Set<ResourceKey>()).add(resource)
  }

  #disown(resource: ResourceKey): void {
    const [owner, owned] = this.#rowOf(resource) ?? []
    if (owner === undefined || !owned) return
    const place = placeOf(resource)
    const there = this.#owners.get(place)
    there?.delete(resource.key)
    if (there?.size === 0) this.#owners.delete(place)
    const all = this.#byOwner.get(owner)
    all?.delete(owned)
    if (all?.size === 0) this.#byOwner.delete(owner)
  }
}
