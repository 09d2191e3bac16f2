import { type Commit, NO_CALLER, type Tenancy } from '../../events/envelope.js'
import type { StreamedEvent } from './event-types.js'
import { withFilterKeys } from '../filter-keys.js'
import type { Kv } from '../kv/kv.js'
import { eventOf, type Fact } from '../projection.js'
import type { Views } from '../read-models.js'
import { ALL_TENANCIES } from './required-permissions.js'
import type { Subscription } from './subscription.js'
import type { Keys } from './topic-filter.js'

type TopicRequest = { readonly keys: Keys; readonly tenancy: Tenancy }

/** Yields the facts of a topic, with or without those outside of the request. */
type Source = (views: Views, request: TopicRequest) => Iterable<Fact>

/** Removes folders and keys that are inside another folder. */
const disjointKeys = (keys: ReadonlySet<string>): readonly string[] => {
  const isInFolder = (key: string): boolean => {
    for (let at = key.indexOf('/'); at >= 0 && at < key.length - 1; at = key.indexOf('/', at + 1))
      if (keys.has(key.slice(0, at + 1))) return true
    return false
  }
  return [...keys].filter(key => !isInFolder(key))
}

/** Costs the entries in the requested folders. */
function* entries({ kv }: Views, { keys, tenancy: { partition, namespace } }: TopicRequest): Iterable<Fact> {
  for (const tenancy of kv.tenancies()) {
    if (partition !== ALL_TENANCIES && tenancy.partition !== partition) continue
    if (namespace !== ALL_TENANCIES && tenancy.namespace !== namespace) continue
    for (const key of keys ? disjointKeys(keys) : ['']) yield* entriesAt(kv, tenancy, key)
  }
}

function* entriesAt(kv: Kv, tenancy: Tenancy, key: string): Iterable<Fact> {
  if (key === '' || key.endsWith('/')) return yield* kv.current(tenancy, key)
  const one = kv.factAt(tenancy, key)
  if (one) yield one
}

/** By topic, in the order of references: targets first. */
const SOURCES: Readonly<Partial<Record<StreamedEvent['Topic'], Source>>> = {
  Cluster: ({ cluster }) => cluster.facts(),
  Partition: ({ partitions }) => partitions.current(),
  Namespace: ({ namespaces }) => namespaces.current(),
  Autopilot: ({ autopilot }) => autopilot.facts(),
  Snapshot: ({ restore }) => restore.facts(),
  ACLPolicy: ({ policies }) => policies.current(),
  ACLPolicyProposal: ({ policyProposals }) => policyProposals.current(),
  ACLRole: ({ roles }) => roles.current(),
  ACLAuthMethod: ({ authMethods }) => authMethods.current(),
  ACLBindingRule: ({ bindingRules }) => bindingRules.current(),
  ACLToken: ({ tokens }) => tokens.current(),
  Operator: ({ access }) => access.facts(),
  Node: ({ catalog }) => catalog.current('Node'),
  Service: ({ catalog }) => catalog.current('Service'),
  Check: ({ catalog }) => catalog.current('Check'),
  ConfigEntry: ({ config }) => config.current(),
  Session: ({ sessions }) => sessions.current(),
  KV: entries,
  PreparedQuery: ({ queries }) => queries.current(),
  Cursor: ({ cursors }) => cursors.current(),
  LegalHold: ({ legalHolds }) => legalHolds.current()
}

const sources: ReadonlyMap<string, Source> = new Map(Object.entries(SOURCES))

export const SNAPSHOT_TOPICS: readonly string[] = [...sources.keys()]

/**
 * The current state as facts of the subscribed topics, topic by topic, otherwise in no order; other facts may be included. Commits may be
 * folded meanwhile: an unchanged resource comes exactly once, a changed or deleted one at most once, in either state.
 */
export function* factsOfState(views: Views, { filter, tenancy }: Subscription): Iterable<Fact> {
  for (const [topic, source] of sources) {
    const keys = filter.keysOf(topic)
    if (keys?.size !== 0) yield* source(views, { keys, tenancy })
  }
}

const EVERYWHERE = { partition: ALL_TENANCIES, namespace: ALL_TENANCIES }

/** The facts of one topic in all tenancies; see `factsOfState`. */
export const factsOfTopic = (views: Views, topic: string): Iterable<Fact> =>
  sources.get(topic)?.(views, { keys: undefined, tenancy: EVERYWHERE }) ?? []

/** The event of a fact in a commit of its index; the original commit may have more events. */
export const commitOf = (fact: Fact): Commit => ({
  Index: fact.Index,
  Time: '',
  By: NO_CALLER,
  Events: [withFilterKeys(eventOf(fact))]
})
