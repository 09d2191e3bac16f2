// Decisions on configuration entries (spec: config.md §1).
import test from 'ava'
import { configEntryAggregate } from '../../../actors/config-entry/config-entry.js'
import { namespaceUpserted } from '../../../actors/namespace.js'
import type { ConfigContent, ConfigKind } from '../../../events/config-entry.js'
import type { Event } from '../../../events/envelope.js'
import { command, given } from '../../support/decision-spec.js'
import {
  entryEvent,
  proxyDefaults,
  serviceDefaults,
  splitter
} from '../../projections/chain/chain-entries.js'

const team = { partition: 'default', namespace: 'team' }
const web: ConfigContent = {
  Kind: 'service-defaults',
  Name: 'web',
  Protocol: 'http',
  TransparentProxy: {},
  MeshGateway: {},
  Expose: {}
}
const global: ConfigContent = {
  Kind: 'proxy-defaults',
  Name: 'global',
  Config: { protocol: 'http' },
  TransparentProxy: {},
  MeshGateway: {},
  Expose: {}
}
const set = (content: ConfigContent, cas?: number) => command('SetConfigEntry', { content, cas })
const remove = (kind: ConfigKind, name: string, cas?: number) =>
  command('DeleteConfigEntry', { kind, name, cas })
const removeWithNamespace = (kind: ConfigKind, name: string) => command('RemoveConfigEntry', { kind, name })
const stored = entryEvent(serviceDefaults('web', 'http'))
const split = entryEvent(splitter('web', { Weight: 100 }))
const other: Event = namespaceUpserted('default', { Name: 'other', CreateIndex: 1, ModifyIndex: 1 })

test('an entry is stored as given, with the index of its commit', t => {
  const outcome = given(other).when(configEntryAggregate, set(web))
  outcome.gives(t, [
    'ConfigEntryUpserted service-defaults/web',
    { ConfigEntry: { ...web, CreateIndex: 2, ModifyIndex: 2 } }
  ])
  t.deepEqual(outcome.events()[0]?.FilterKeys, ['service-defaults', 'web'])
})

test('an entry replaced keeps the index of its making, also under a name in other letter case', t =>
  given(stored)
    .when(configEntryAggregate, set({ ...web, Name: 'Web', Protocol: 'grpc' }))
    .gives(t, [
      'ConfigEntryUpserted service-defaults/web',
      { ConfigEntry: { Name: 'Web', Protocol: 'grpc', CreateIndex: 1, ModifyIndex: 2 } }
    ]))

test('a write of what an entry says already is none', t =>
  given(stored).when(configEntryAggregate, set(web)).gives(t))

test('a check-and-set of 0 makes, and replaces nothing', t => {
  given().when(configEntryAggregate, set(web, 0)).gives(t, 'ConfigEntryUpserted service-defaults/web')
  given(stored)
    .when(configEntryAggregate, set({ ...web, Protocol: 'grpc' }, 0))
    .gives(t)
})

test('a check-and-set replaces what was last changed at its index, and makes nothing', t => {
  const changed = { ...web, Protocol: 'grpc' }
  given(stored)
    .when(configEntryAggregate, set(changed, 1))
    .gives(t, ['ConfigEntryUpserted service-defaults/web', { ConfigEntry: { Protocol: 'grpc' } }])
  given(stored).when(configEntryAggregate, set(changed, 2)).gives(t)
  given().when(configEntryAggregate, set(web, 1)).gives(t)
})

test('an entry outside the default namespace tells where it is', t => {
  const outcome = given(other).when(configEntryAggregate, { ...set(web), tenancy: team })
  outcome.gives(t, ['ConfigEntryUpserted service-defaults/web', { ConfigEntry: { Namespace: 'team' } }])
  t.is(outcome.events()[0]?.Namespace, 'team')
})

test('kinds with one entry per partition are stored in its default namespace', t => {
  const [event] = given()
    .when(configEntryAggregate, { ...set(global), tenancy: team })
    .events()
  t.is(event?.Namespace, 'default')
})

test('an entry that names a partition needs that partition', t =>
  given()
    .when(
      configEntryAggregate,
      set({ Kind: 'service-resolver', Name: 'web', Redirect: { Service: 'db', Partition: 'west' } })
    )
    .refuses(t, 'config.invalid', /Partition "west" does not exist/))

test('an intention needs the namespace of its source, unless that is any', t => {
  const from = (Namespace: string): ConfigContent => ({
    Kind: 'service-intentions',
    Name: 'web',
    Sources: [{ Name: 'db', Namespace, Action: 'allow', Precedence: 9, Type: 'consul' }]
  })
  given()
    .when(configEntryAggregate, set(from('other')))
    .refuses(t, 'config.invalid', 'Sources: Namespace "other" of "db" does not exist')
  for (const Namespace of ['other', '*', 'default'])
    given(other)
      .when(configEntryAggregate, set(from(Namespace)))
      .gives(t, ['ConfigEntryUpserted service-intentions/web', { ConfigEntry: { Sources: [{ Namespace }] } }])
})

test('a write after which a chain does not compile is refused, and names what stands against it', t => {
  const content: ConfigContent = { Kind: 'service-splitter', Name: 'web', Splits: [{ Weight: 100 }] }
  given()
    .when(configEntryAggregate, set(content))
    .refuses(t, 'config.invalid', /web.*protocol/)
  given(stored)
    .when(configEntryAggregate, set(content))
    .gives(t, ['ConfigEntryUpserted service-splitter/web', { ConfigEntry: { Splits: [{ Weight: 100 }] } }])
  given(stored, split)
    .when(configEntryAggregate, set({ ...web, Protocol: 'tcp' }))
    .refuses(t, 'config.invalid', /service-splitter/)
})

test('a deletion tells what the entry was', t =>
  given(stored)
    .when(configEntryAggregate, remove('service-defaults', 'WEB'))
    .gives(t, [
      'ConfigEntryDeleted service-defaults/web',
      { ConfigEntry: { Protocol: 'http', CreateIndex: 1, ModifyIndex: 1 } }
    ]))

test('a deletion of nothing, or at another index, changes nothing', t => {
  given().when(configEntryAggregate, remove('service-defaults', 'web')).gives(t)
  given(stored)
    .when(configEntryAggregate, remove('service-defaults', 'web', 2))
    .gives(t)
  given(stored)
    .when(configEntryAggregate, { ...remove('service-defaults', 'web'), tenancy: team })
    .gives(t)
})

test('a deletion after which a chain does not compile is refused', t =>
  given(stored, split)
    .when(configEntryAggregate, remove('service-defaults', 'web'))
    .refuses(t, 'config.invalid', /service-splitter/))

test('what ends with its namespace goes whatever becomes of chains', t =>
  given(stored, split)
    .when(configEntryAggregate, removeWithNamespace('service-defaults', 'web'))
    .gives(t, 'ConfigEntryDeleted service-defaults/web'))

test('what a partition has one of does not end with a namespace', t => {
  const asked = removeWithNamespace('proxy-defaults', 'global')
  const entry = entryEvent(proxyDefaults({ protocol: 'http' }))
  given(entry)
    .when(configEntryAggregate, { ...asked, tenancy: team })
    .gives(t)
  given(entry).when(configEntryAggregate, asked).gives(t, 'ConfigEntryDeleted proxy-defaults/global')
})
