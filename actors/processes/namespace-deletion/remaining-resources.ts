// What a namespace or partition that is being deleted still holds, kind by kind, as the commands that delete
// it (spec: tenancy.md §3, §4.3). A new kind of namespaced things adds one entry here.
import { AUTH_METHOD_TOPIC } from '../../../events/auth-method.js'
import { BINDING_RULE_TOPIC } from '../../../events/binding-rule.js'
import { CONFIG_KINDS } from '../../../events/config-entry.js'
import type { Tenancy } from '../../../events/envelope.js'
import { KV_TOPIC } from '../../../events/kv.js'
import { POLICY_TOPIC } from '../../../events/policy.js'
import { ROLE_TOPIC } from '../../../events/role.js'
import { SESSION_TOPIC } from '../../../events/session.js'
import { TOKEN_TOPIC } from '../../../events/token.js'
import type { Views } from '../../../projections/read-models.js'
import type { Kind, Commands } from '../../aggregates.js'
import { nodeRef } from '../../catalog/catalog.js'
import { SERVER, type Command } from '../../command.js'
import { configEntryRef } from '../../config-entry/config-entry.js'
import { namespaceRef } from '../../namespace.js'
import { type ActorRef, inNamespace } from '../../ref.js'
import type { ActorSystem } from '../../system.js'

/** What the deletions of a step have in common: their time, and the commit that they follow from. */
type DeletionOrigin = Pick<Command, 'at' | 'cause'>

/** Asks for the deletion of one thing. */
export type ResourceDeletion = (system: ActorSystem, occasion: DeletionOrigin) => Promise<unknown>

/**
 * The deletions of one kind, made one at a time: whoever walks them deletes between two steps, so that a walk
 * that must not meet changes takes its rows in pieces.
 */
export type RemainingResources = (views: Views, tenancy: Tenancy) => Iterable<ResourceDeletion>

type Common = Pick<Command, 'tenancy' | 'caller' | 'at' | 'cause'>

const deletion =
  <K extends Kind>(
    ref: ActorRef<K>,
    tenancy: Tenancy,
    make: (common: Common) => Commands[K]
  ): ResourceDeletion =>
  (system, occasion) =>
    system.ask(ref, make({ tenancy, caller: SERVER, ...occasion }))

const tokens: RemainingResources = function* (views, tenancy) {
  for (const { token } of views.tokens.within(tenancy))
    yield deletion(inNamespace(TOKEN_TOPIC, tenancy, token.AccessorID), tenancy, common => ({
      ...common,
      name: 'DeleteToken' as const,
      data: { accessor: token.AccessorID }
    }))
}

/**
 * Those that logins made elsewhere: one by one, where the end of their method would take all of them along at
 * once.
 */
const tokensOfMethods: RemainingResources = function* (views, tenancy) {
  for (const { method } of views.authMethods.within(tenancy))
    for (const { token, tenancy: home } of views.tokens.madeBy(tenancy, method.Name))
      yield deletion(inNamespace(TOKEN_TOPIC, home, token.AccessorID), home, common => ({
        ...common,
        name: 'DeleteToken' as const,
        data: { accessor: token.AccessorID }
      }))
}

const authMethods: RemainingResources = function* (views, tenancy) {
  for (const { method } of views.authMethods.within(tenancy))
    yield deletion(inNamespace(AUTH_METHOD_TOPIC, tenancy, method.Name), tenancy, common => ({
      ...common,
      name: 'DeleteAuthMethod' as const,
      data: { name: method.Name }
    }))
}

const bindingRules: RemainingResources = function* (views, tenancy) {
  for (const { rule } of views.bindingRules.within(tenancy))
    yield deletion(inNamespace(BINDING_RULE_TOPIC, tenancy, rule.ID), tenancy, common => ({
      ...common,
      name: 'DeleteBindingRule' as const,
      data: { id: rule.ID }
    }))
}

const sessions: RemainingResources = function* (views, tenancy) {
  for (const { session } of views.sessions.within(tenancy))
    yield deletion(inNamespace(SESSION_TOPIC, tenancy, session.ID), tenancy, common => ({
      ...common,
      name: 'DestroySession' as const,
      data: { id: session.ID }
    }))
}

/** Keys taken at once: nothing may be written while the tree is walked. */
const KEYS = 256

const keys: RemainingResources = function* (views, tenancy) {
  let after: { key: string; withSubtree: boolean } | undefined
  for (;;) {
    const taken: string[] = []
    for (const { key } of views.kv.walk(tenancy, '', after)) if (taken.push(key) === KEYS) break
    for (const key of taken)
      yield deletion(inNamespace(KV_TOPIC, tenancy, key), tenancy, common => ({
        ...common,
        name: 'DeleteKey' as const,
        data: { key }
      }))
    const last = taken.at(-1)
    if (last === undefined) return
    after = { key: last, withSubtree: false }
  }
}

/** With their checks. Nodes, and the checks of nodes, are in no namespace. */
const services: RemainingResources = function* (views, tenancy) {
  for (const group of views.catalog.space(tenancy).byName.all())
    for (const { host, state } of group.unordered())
      yield deletion(nodeRef(tenancy.partition, host.name), tenancy, common => ({
        ...common,
        name: 'Deregister' as const,
        data: { node: host.name, serviceId: state.service.ID, checkId: '' }
      }))
}

const configEntries: RemainingResources = function* (views, tenancy) {
  for (const kind of CONFIG_KINDS)
    for (const row of views.config.within(kind, tenancy))
      yield deletion(configEntryRef(tenancy, kind, row.name), tenancy, common => ({
        ...common,
        name: 'RemoveConfigEntry' as const,
        data: { kind, name: row.name }
      }))
}

const roles: RemainingResources = function* (views, tenancy) {
  for (const { role } of views.roles.within(tenancy))
    yield deletion(inNamespace(ROLE_TOPIC, tenancy, role.ID), tenancy, common => ({
      ...common,
      name: 'DeleteRole' as const,
      data: { id: role.ID }
    }))
}

const policies: RemainingResources = function* (views, tenancy) {
  for (const { policy } of views.policies.within(tenancy))
    yield deletion(inNamespace(POLICY_TOPIC, tenancy, policy.ID), tenancy, common => ({
      ...common,
      name: 'DeletePolicy' as const,
      data: { id: policy.ID }
    }))
}

/**
 * Tokens first, so that nobody of the tenant can act during the rest; then methods, which could make new
 * ones. Keys before the sessions that hold them, policies after those who link to them: then no deletion
 * takes others along.
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

/**
 * Namespaces of a partition that are not marked yet; once they are, they are emptied and removed as every
 * other one.
 */
export const namespaceDeletionMarks: RemainingResources = function* (views, { partition }) {
  for (const { namespace, isEnding } of views.namespaces.list(partition))
    if (!isEnding) {
      const going = { partition, namespace: namespace.Name }
      yield deletion(namespaceRef(going), going, common => ({
        ...common,
        name: 'DeleteNamespaceOfPartition' as const,
        data: null
      }))
    }
}

/** With everything that is still on them. */
const nodes: RemainingResources = function* (views, { partition }) {
  for (const { host } of views.catalog.hosts(partition))
    yield deletion(nodeRef(partition, host.name), { partition, namespace: 'default' }, common => ({
      ...common,
      name: 'Deregister' as const,
      data: { node: host.name, serviceId: '', checkId: '' }
    }))
}

/** Entries for all namespaces of the partition. */
const entriesForAll: RemainingResources = (views, { partition }) =>
  configEntries(views, { partition, namespace: '*' })

/** What is left of a partition when it has no namespaces any more. */
export const partitionResources: readonly RemainingResources[] = [entriesForAll, nodes]
