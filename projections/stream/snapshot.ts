// What is true now, as the events that made it so: what a stream begins with that asks for a snapshot.
import { OPERATOR_TOPIC } from '../../events/access.js'
import { AUTH_METHOD_TOPIC } from '../../events/auth-method.js'
import { AUTOPILOT_TOPIC } from '../../events/autopilot.js'
import { BINDING_RULE_TOPIC } from '../../events/binding-rule.js'
import { CHECK_TOPIC } from '../../events/check.js'
import { CLUSTER_TOPIC } from '../../events/cluster.js'
import { CONFIG_ENTRY_TOPIC } from '../../events/config-entry.js'
import { CURSOR_TOPIC } from '../../events/cursor.js'
import { type Commit, NO_CALLER, type Tenancy } from '../../events/envelope.js'
import { KV_TOPIC } from '../../events/kv.js'
import { NAMESPACE_TOPIC } from '../../events/namespace.js'
import { NODE_TOPIC } from '../../events/node.js'
import { PARTITION_TOPIC } from '../../events/partition.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { QUERY_TOPIC } from '../../events/prepared-query.js'
import { ROLE_TOPIC } from '../../events/role.js'
import { SERVICE_TOPIC } from '../../events/service.js'
import { SESSION_TOPIC } from '../../events/session.js'
import { SNAPSHOT_TOPIC } from '../../events/snapshot.js'
import { TOKEN_TOPIC } from '../../events/token.js'
import { withFilterKeys } from '../filter-keys.js'
import type { Kv } from '../kv/kv.js'
import { eventOf, type Fact } from '../saved-form.js'
import type { Views } from '../read-models.js'
import { ALL_TENANCIES } from './required-permissions.js'
import type { Subscription } from './subscription.js'
import type { Keys } from './topic-filter.js'

/** What a subscription asks for of one topic. */
interface Asked {
  readonly keys: Keys
  readonly tenancy: Tenancy
}

/** The facts of a topic, of which some may be left out that were not asked for. */
type Source = (views: Views, asked: Asked) => Iterable<Fact>

/** Folders of which none is in another, and keys that are in none of them. */
const apart = (keys: ReadonlySet<string>): readonly string[] => {
  const isInFolder = (key: string): boolean => {
    for (let at = key.indexOf('/'); at >= 0 && at < key.length - 1; at = key.indexOf('/', at + 1))
      if (keys.has(key.slice(0, at + 1))) return true
    return false
  }
  return [...keys].filter(key => !isInFolder(key))
}

/** Costs what lies in the folders that are asked for, however much there is besides. */
function* entries({ kv }: Views, { keys, tenancy: { partition, namespace } }: Asked): Iterable<Fact> {
  const tenancies = kv
    .tenancies()
    .filter(
      each =>
        (partition === ALL_TENANCIES || each.partition === partition) &&
        (namespace === ALL_TENANCIES || each.namespace === namespace)
    )
  for (const tenancy of tenancies)
    for (const key of keys ? apart(keys) : ['']) yield* entriesAt(kv, tenancy, key)
}

function* entriesAt(kv: Kv, tenancy: Tenancy, key: string): Iterable<Fact> {
  if (key === '' || key.endsWith('/')) return yield* kv.current(tenancy, key)
  const one = kv.factAt(tenancy, key)
  if (one) yield one
}

/** By topic; what is made before what refers to it. */
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

/** The topics that a snapshot has something of. */
export const SNAPSHOT_TOPICS: readonly string[] = [...sources.keys()]

/**
 * What is true now and of the topics asked for, topic by topic, within one in no order; what is not asked for may be among it.
 *
 * Commits may be folded between two of them. A thing that stays as it is meanwhile comes exactly once. One that is changed or
 * ended comes once, as it was or as it became, or not at all.
 */
export function* factsOfState(views: Views, { filter, tenancy }: Subscription): Iterable<Fact> {
  for (const [topic, source] of sources) {
    const keys = filter.keysOf(topic)
    if (keys?.size !== 0) yield* source(views, { keys, tenancy })
  }
}

/** What is true now of one topic, in all tenancies, as `factsOfState` says; nothing of topics that no snapshot has. */
export const factsOfTopic = (views: Views, topic: string): Iterable<Fact> =>
  sources.get(topic)?.(views, {
    keys: undefined,
    tenancy: { partition: ALL_TENANCIES, namespace: ALL_TENANCIES }
  }) ?? []

/** What the log has of a fact: its event, in the commit of its index, which may have had others. */
export const commitOf = (fact: Fact): Commit => ({
  Index: fact.Index,
  Time: '',
  By: NO_CALLER,
  Events: [withFilterKeys(eventOf(fact))]
})
