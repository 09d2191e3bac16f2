import test from 'ava'
import { agentAggregate } from '../../actors/agent/agent.js'
import { authMethodAggregate } from '../../actors/auth-method/auth-method.js'
import { bindingRuleAggregate } from '../../actors/binding-rule.js'
import { catalogAggregate } from '../../actors/catalog/catalog.js'
import { SERVER } from '../../actors/aggregate.js'
import { configEntryAggregate } from '../../actors/config-entry/config-entry.js'
import { kvAggregate } from '../../actors/kv.js'
import { defaultNamespace, namespaceUpserted } from '../../actors/namespace.js'
import { oidcRequestAggregate } from '../../actors/oidc-request.js'
import { partitionUpserted } from '../../actors/partition.js'
import { policyAggregate } from '../../actors/policy.js'
import { queryAggregate } from '../../actors/query.js'
import { Refusal } from '../../actors/refusal.js'
import { roleAggregate } from '../../actors/role.js'
import { sessionAggregate } from '../../actors/session.js'
import { checkTenancy } from '../../actors/tenancy.js'
import { tokenAggregate } from '../../actors/token.js'
import type { Tenancy } from '../../events/envelope.js'
import { command, viewsAfter } from '../support/decision-spec.js'

const ofNamespaces = [
  agentAggregate,
  authMethodAggregate,
  bindingRuleAggregate,
  catalogAggregate,
  configEntryAggregate,
  kvAggregate,
  oidcRequestAggregate,
  policyAggregate,
  queryAggregate,
  roleAggregate,
  sessionAggregate,
  tokenAggregate
]

const REMOVALS = [
  'CasDeleteKey',
  'DeleteAuthMethod',
  'DeleteBindingRule',
  'DeleteConfigEntry',
  'DeleteIntention',
  'DeleteIntentionById',
  'DeleteKey',
  'DeleteKeyTree',
  'DeletePolicy',
  'DeleteQuery',
  'DeleteRole',
  'DeleteToken',
  'Deregister',
  'DeregisterAgentCheck',
  'DeregisterAgentService',
  'DestroySession',
  'ExpireOidcRequests',
  'ExpireSessions',
  'ExpireTokens',
  'Logout',
  'RemoveConfigEntry'
]

const DeletedAt = '2026-01-01T00:00:00Z'
const indexes = { CreateIndex: 1, ModifyIndex: 1 }
const views = viewsAfter([
  namespaceUpserted('default', { Name: 'going', DeletedAt, ...indexes }),
  partitionUpserted({ Name: 'leaving', DeletedAt, ...indexes }),
  defaultNamespace('leaving', 1)
])

/** Stands for the commands that are no removals. */
const CHANGE = 'Change'
const namesOf = ({ removals = [] }: { readonly removals?: readonly string[] }): readonly string[] => [
  ...removals,
  CHANGE
]

/** Returns the refusals of these aggregates' commands in a tenancy. */
const refusedIn = (tenancy: Tenancy, isServer = false): ReadonlyMap<string, Refusal> =>
  new Map(
    ofNamespaces.flatMap(aggregate =>
      namesOf(aggregate).flatMap(name => {
        const asked = command(name, null, { tenancy })
        try {
          checkTenancy(aggregate, isServer ? { ...asked, caller: SERVER } : asked, views)
          return []
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          return [[name, error] as const]
        }
      })
    )
  )

const everyName = new Set(ofNamespaces.flatMap(namesOf))

for (const { title, tenancy, text } of [
  {
    title: 'a namespace',
    tenancy: { partition: 'default', namespace: 'going' },
    text: 'Namespace "going" is being deleted'
  },
  {
    title: 'a partition',
    tenancy: { partition: 'leaving', namespace: 'default' },
    text: 'Partition "leaving" is being deleted'
  }
])
  test(`${title} that is being deleted accepts only removals`, t => {
    const refused = refusedIn(tenancy)
    t.deepEqual(
      [...everyName].filter(name => !refused.has(name)).toSorted((a, b) => a.localeCompare(b)),
      REMOVALS
    )
    for (const { kind, message } of refused.values()) t.deepEqual([kind, message], ['conflict', text])
  })

test('every command in a missing namespace is rejected', t => {
  const refused = refusedIn({ partition: 'default', namespace: 'nowhere' })
  t.is(refused.size, everyName.size)
  for (const { kind, message } of refused.values())
    t.deepEqual([kind, message], ['invalid', 'Namespace "nowhere" does not exist'])
})

test('commands of the server itself are accepted during a deletion', t => {
  t.is(refusedIn({ partition: 'default', namespace: 'going' }, true).size, 0)
})
