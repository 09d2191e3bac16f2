// The current state as events, with which a stream can begin.
import { AUTOPILOT_TOPIC, CLUSTER_TOPIC, OPERATOR_TOPIC } from '../../events/cluster.js'
import { AUTH_METHOD_TOPIC } from '../../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../../events/binding-rule.js'
import { CHECK_TOPIC } from '../../events/check.js'
import { CONFIG_ENTRY_TOPIC } from '../../events/config-entry.js'
import { CURSOR_TOPIC } from '../../events/cursor.js'
import { type Commit, NO_CALLER, type Tenancy } from '../../events/envelope.js'
import { KV_TOPIC } from '../../events/kv.js'
import { NAMESPACE_TOPIC, PARTITION_TOPIC } from '../../events/namespace.js'
import { NODE_TOPIC } from '../../events/node.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { QUERY_TOPIC } from '../../events/prepared-query.js'
import { ROLE_TOPIC } from '../../events/role.js'
import { SERVICE_TOPIC } from '../../events/service.js'
import { SESSION_TOPIC } from '../../events/session.js'
import { SNAPSHOT_TOPIC } from '../../events/snapshot.js'
import { TOKEN_TOPIC } from '../../events/token.js'
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
  const tenancies = kv
    .tenancies()
    .filter(
      space =>
        (partition === ALL_TENANCIES || space.partition === partition) &&
        (namespace === ALL_TENANCIES || space.namespace === namespace)
    )
  for (const tenancy of tenancies)
    for (const key of keys ? disjointKeys(keys) : ['']) yield* entriesAt(kv, tenancy, key)
}

function* entriesAt(kv: Kv, tenancy: Tenancy, key: string): Iterable<Fact> {
  if (key === '' || key.endsWith('/')) return yield* kv.current(tenancy, key)
  const one = kv.factAt(tenancy, key)
  if (one) yield one
}

/** By topic, in the order of references: targets first. */
const sources: ReadonlyMap<string, Source> = new Map<string, Source>([
  [CLUSTER_TOPIC, ({ cluster }) => cluster.facts()],
  [PARTITION_TOPIC, ({ partitions }) => partitions.facts()],
  [NAMESPACE_TOPIC, ({ namespaces }) => namespaces.facts()],
  [AUTOPILOT_TOPIC, ({ autopilot }) => autopilot.facts()],
  [SNAPSHOT_TOPIC, ({ restore }) => restore.facts()],
  [POLICY_TOPIC, ({ policies }) => policies.current()],
  [ROLE_TOPIC, ({ roles }) => roles.current()],
  [AUTH_METHOD_TOPIC, ({ authMethods }) => authMethods.current()],
  [BINDING_RULE_TOPIC, ({ bindingRules }) => bindingRules.current()],
  [TOKEN_TOPIC, ({ tokens }) => tokens.current()],
  [OPERATOR_TOPIC, ({ access }) => access.facts()],
  [NODE_TOPIC, ({ catalog }) => catalog.current(NODE_TOPIC)],
  [SERVICE_TOPIC, ({ catalog }) => catalog.current(SERVICE_TOPIC)],
  [CHECK_TOPIC, ({ catalog }) => catalog.current(CHECK_TOPIC)],
  [CONFIG_ENTRY_TOPIC, ({ config }) => config.current()],
  [SESSION_TOPIC, ({ sessions }) => sessions.current()],
  [KV_TOPIC, entries],
  [QUERY_TOPIC, ({ queries }) => queries.facts()],
  [CURSOR_TOPIC, ({ cursors }) => cursors.current()]
])

export const SNAPSHOT_TOPICS: readonly string[] = [...sources.keys()]

/**
 * The facts of the subscribed topics, topic by topic, otherwise in no order; other facts may be included. Commits may be
 * folded meanwhile: an unchanged resource comes exactly once, a changed or deleted one at most once, in either state.
 */
export function* factsOfState(views: Views, { filter, tenancy }: Subscription): Iterable<Fact> {
  for (const [topic, source] of sources) {
    const keys = filter.keysOf(topic)
    if (keys?.size !== 0) yield* source(views, { keys, tenancy })
  }
}

/** The facts of one topic in all tenancies; see `factsOfState`. */
export const factsOfTopic = (views: Views, topic: string): Iterable<Fact> =>
  sources.get(topic)?.(views, {
    keys: undefined,
    tenancy: { partition: ALL_TENANCIES, namespace: ALL_TENANCIES }
  }) ?? []

/** The event of a fact in a commit of its index; the original commit may have more events. */
export const commitOf = (fact: Fact): Commit => ({
  Index: fact.Index,
  Time: '',
  By: NO_CALLER,
  Events: [withFilterKeys(eventOf(fact))]
})
