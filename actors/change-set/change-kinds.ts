// The kinds of resources in change sets: how their names find them.
import { isAuthMethodEvent } from '../../events/auth-method.js'
import { isBindingRuleEvent } from '../../events/binding-rule.js'
import { isConfigEntryEvent, nameOfEntry } from '../../events/config-entry.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { isPolicyEvent } from '../../events/policy.js'
import { isQueryEvent } from '../../events/prepared-query.js'
import { isRoleEvent } from '../../events/role.js'
import { isTokenEvent } from '../../events/token.js'
import type { CHANGE_TOPICS } from '../../projections/change-sets.js'
import { entryFactOf } from '../../projections/config/entries.js'
import type { Fact } from '../../projections/projection.js'
import type { Views } from '../../projections/read-models.js'
import { isWithinTenancy } from '../tenancy.js'
import { isUuid } from '../uuid.js'
import { CHANGE_KIND_NAMES, type ChangeKindName } from './change-kind-names.js'

interface ChangeKind {
  readonly topic: (typeof CHANGE_TOPICS)[number]
  /** Returns the event that recreates the resource of a name; undefined without one. @param owner label of the owner of tokens */
  readonly named: (views: Views, tenancy: Tenancy, name: string, owner: string) => Fact | undefined
  /** Returns the same for the key of its events. */
  readonly keyed: (views: Views, tenancy: Tenancy, key: string) => Fact | undefined
  /** Returns the name in change sets. */
  readonly nameOf: (event: Event | Fact) => string
}

interface Rows<Row> {
  factOf(row: Row): Fact
}

const factIn = <Row>(rows: Rows<Row>, row: Row | undefined): Fact | undefined => row && rows.factOf(row)

const keyOf = ({ Key }: Event | Fact): string => Key

/** Facts have the parts of events that these read. */
const payloadOf =
  <E extends Event>(isOfKind: (event: Event) => event is E, nameOf: (payload: E['Payload']) => string) =>
  (event: Event | Fact): string => {
    const complete: Event = { Partition: 'default', FilterKeys: null, ...event }
    return isOfKind(complete) && !complete.Erased ? nameOf(complete.Payload) : complete.Key
  }

const partitionOf: ChangeKind['keyed'] = ({ partitions }, _tenancy, name) =>
  factIn(partitions, partitions.get(name.toLowerCase()))

const namespaceOf: ChangeKind['keyed'] = ({ namespaces }, { partition }, name) =>
  factIn(namespaces, namespaces.get({ partition, namespace: name.toLowerCase() }))

const authMethodOf: ChangeKind['keyed'] = ({ authMethods }, tenancy, name) =>
  factIn(authMethods, authMethods.named(tenancy, name))

const bindingRuleOf: ChangeKind['keyed'] = ({ bindingRules }, tenancy, id) =>
  factIn(bindingRules, isWithinTenancy(bindingRules.get(id), tenancy))

const queryOf: ChangeKind['keyed'] = ({ queries }, _tenancy, id) => factIn(queries, queries.get(id))

const tokenOf: ChangeKind['keyed'] = ({ tokens }, tenancy, accessor) =>
  factIn(tokens, isWithinTenancy(tokens.get(accessor), tenancy))

const entryOf: ChangeKind['keyed'] = ({ config }, tenancy, key) => {
  const slash = key.indexOf('/')
  const row = config.find(key.slice(0, slash), key.slice(slash + 1), tenancy)
  return row && entryFactOf(row)
}

const keyFact: ChangeKind['keyed'] = ({ kv }, tenancy, key) => kv.factAt(tenancy, key)

export const CHANGE_KINDS = {
  partition: { topic: 'Partition', named: partitionOf, keyed: partitionOf, nameOf: keyOf },
  namespace: {
    topic: 'Namespace',
    named: namespaceOf,
    keyed: namespaceOf,
    nameOf: keyOf
  },
  policy: {
    topic: 'ACLPolicy',
    named: ({ policies }, tenancy, name) => factIn(policies, policies.named(tenancy, name)),
    keyed: ({ policies }, tenancy, id) => factIn(policies, isWithinTenancy(policies.get(id), tenancy)),
    nameOf: payloadOf(isPolicyEvent, ({ ACLPolicy }) => ACLPolicy.Name)
  },
  role: {
    topic: 'ACLRole',
    named: ({ roles }, tenancy, name) => factIn(roles, roles.named(tenancy, name)),
    keyed: ({ roles }, tenancy, id) => factIn(roles, isWithinTenancy(roles.get(id), tenancy)),
    nameOf: payloadOf(isRoleEvent, ({ ACLRole }) => ACLRole.Name)
  },
  'auth-method': {
    topic: 'ACLAuthMethod',
    named: authMethodOf,
    keyed: authMethodOf,
    nameOf: payloadOf(isAuthMethodEvent, ({ AuthMethod }) => AuthMethod.Name)
  },
  'binding-rule': {
    topic: 'ACLBindingRule',
    named: bindingRuleOf,
    keyed: bindingRuleOf,
    nameOf: payloadOf(isBindingRuleEvent, ({ ACLBindingRule }) => ACLBindingRule.ID)
  },
  token: {
    topic: 'ACLToken',
    named: (views, tenancy, name, owner) =>
      isUuid(name)
        ? tokenOf(views, tenancy, name)
        : factIn(views.tokens, views.tokens.specifiedBy(tenancy, `${owner}/${name}`)),
    keyed: tokenOf,
    nameOf: payloadOf(isTokenEvent, ({ ACLToken: { AccessorID, Specification = '' } }) =>
      Specification === '' ? AccessorID : Specification.slice(Specification.indexOf('/') + 1)
    )
  },
  'config-entry': {
    topic: 'ConfigEntry',
    named: entryOf,
    keyed: entryOf,
    nameOf: payloadOf(
      isConfigEntryEvent,
      ({ ConfigEntry }) => `${ConfigEntry.Kind}/${nameOfEntry(ConfigEntry)}`
    )
  },
  query: {
    topic: 'PreparedQuery',
    named: (views, tenancy, name) =>
      factIn(views.queries, views.queries.named(name)) ?? queryOf(views, tenancy, name),
    keyed: queryOf,
    nameOf: payloadOf(isQueryEvent, ({ PreparedQuery: { Name, ID } }) => Name || ID)
  },
  key: { topic: 'KV', named: keyFact, keyed: keyFact, nameOf: keyOf }
} as const satisfies Readonly<Record<ChangeKindName, ChangeKind>>

/** Returns the kind of a topic; undefined for topics that change sets do not change. */
export const changeKindOf = (topic: string): ChangeKindName | undefined =>
  CHANGE_KIND_NAMES.find(name => CHANGE_KINDS[name].topic === topic)
