// Decisions on single intentions, which are written into the entry of their destination (spec: config.md §4.6).
import test from 'ava'
import { configEntryAggregate } from '../../../actors/config-entry/config-entry.js'
import type { IntentionSource, ServiceIntentions } from '../../../events/config/access.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { command, given, viewsAfter } from '../../support/decision-spec.js'
import { entryEvent, serviceDefaults } from '../../projections/chain/chain-entries.js'
import { id } from '../acl-resources.js'

const source = (Name: string, parts: Partial<IntentionSource> = {}): IntentionSource => ({
  Name,
  Action: 'allow',
  Precedence: Name === '*' ? 8 : 9,
  Type: 'consul',
  ...parts
})
const legacy = (n: number, Name: string, parts: Partial<IntentionSource> = {}): IntentionSource =>
  source(Name, { LegacyID: id(n), LegacyCreateTime: `2025-01-0${n}T00:00:00Z`, ...parts })
const on = (Name: string, ...Sources: readonly IntentionSource[]): ServiceIntentions => ({
  Kind: 'service-intentions',
  Name,
  Sources
})
const stored = (...Sources: readonly IntentionSource[]) =>
  entryEvent({ ...on('web', ...Sources), CreateIndex: 1, ModifyIndex: 1 })
const set = (of: IntentionSource) => command('SetIntention', { written: on('web', of) })
const create = (of: IntentionSource) => command('CreateIntention', { written: on('web', of) })
const update = (of: IntentionSource) => command('UpdateIntention', { written: on('web', of) })
const removeFrom = (name: string) =>
  command('DeleteIntention', { destination: 'web', source: { name, tenancy: DEFAULT_TENANCY } })
const removeById = (n: number) => command('DeleteIntentionById', { destination: 'web', id: id(n) })

const ENTRY = 'ConfigEntryUpserted service-intentions/web'
const WRITTEN_WHOLE = /cannot use legacy intention API to edit intentions with a destination of "web"/

test('a write of intentions without permissions drafts no entries', t => {
  const views = viewsAfter([entryEvent(serviceDefaults('web', 'http')), stored(source('api'))])
  const { config } = views
  const draft = config.draft.bind(config)
  let drafts = 0
  config.draft = () => {
    drafts++
    return draft()
  }
  const decide = (of: IntentionSource) => configEntryAggregate.decide(set(of), views, views.index + 1)
  t.is(decide(source('db')).length, 1)
  t.is(drafts, 0)
  const Permissions = [{ Action: 'allow', HTTP: { PathPrefix: '/' } }]
  const { Action: _action, ...permitted } = source('db', { Permissions })
  t.is(decide(permitted).length, 1)
  t.is(drafts, 1)
})

test('the first intention on a destination makes its entry', t =>
  given()
    .when(configEntryAggregate, set(source('db')))
    .gives(t, [ENTRY, { ConfigEntry: { ...on('web', source('db')), CreateIndex: 1 } }]))

test('a further intention joins the entry, the higher precedence first', t =>
  given(stored(source('*')))
    .when(configEntryAggregate, set(source('db')))
    .gives(t, [
      ENTRY,
      { ConfigEntry: { Sources: [source('db'), source('*')], CreateIndex: 1, ModifyIndex: 2 } }
    ]))

test('an intention from the same source is replaced', t =>
  given(stored(source('db'), source('api')))
    .when(configEntryAggregate, set(source('db', { Action: 'deny' })))
    .gives(t, [ENTRY, { ConfigEntry: { Sources: [source('db', { Action: 'deny' }), source('api')] } }]))

test('a write by names takes the IDs off the others, but not what they mean', t => {
  given(stored(legacy(1, 'db')))
    .when(configEntryAggregate, set(source('api')))
    .gives(t, [ENTRY, { ConfigEntry: { Sources: [source('db'), source('api')] } }])
  given(stored(legacy(1, 'db', { LegacyMeta: { k: 'v' } })))
    .when(configEntryAggregate, set(source('api')))
    .refuses(t, 'intention.invalid', /Sources\[0\].LegacyMeta must be omitted/)
})

test('an intention is taken out of its entry, the last one with the entry', t => {
  given(stored(source('db'), source('*')))
    .when(configEntryAggregate, removeFrom('db'))
    .gives(t, [ENTRY, { ConfigEntry: { Sources: [source('*')] } }])
  given(stored(source('db')))
    .when(configEntryAggregate, removeFrom('db'))
    .gives(t, [
      'ConfigEntryDeleted service-intentions/web',
      { ConfigEntry: { Sources: [source('db')], ModifyIndex: 1 } }
    ])
})

test('to take out an intention that is not there changes nothing', t => {
  given(stored(source('db')))
    .when(configEntryAggregate, removeFrom('api'))
    .gives(t)
  given().when(configEntryAggregate, removeFrom('db')).gives(t)
})

test('an intention with an ID joins those with IDs', t =>
  given(stored(legacy(1, '*')))
    .when(configEntryAggregate, create(legacy(2, 'db')))
    .gives(t, [ENTRY, { ConfigEntry: { Sources: [legacy(2, 'db'), legacy(1, '*')] } }]))

test('an intention with an ID needs a source of its own', t =>
  given(stored(legacy(1, 'db')))
    .when(configEntryAggregate, create(legacy(2, 'db')))
    .refuses(t, 'intention.invalid', 'Sources[1] defines "db" more than once'))

test('once an entry was written as a whole nothing in it is edited by an ID', t => {
  const whole = stored(source('db'))
  given(whole)
    .when(configEntryAggregate, create(legacy(2, 'api')))
    .refuses(t, 'intention.invalid', WRITTEN_WHOLE)
  given(whole)
    .when(configEntryAggregate, update(legacy(2, 'api')))
    .refuses(t, 'intention.invalid', WRITTEN_WHOLE)
  given(stored(source('db'), legacy(2, 'api')))
    .when(configEntryAggregate, removeById(2))
    .refuses(t, 'intention.invalid', WRITTEN_WHOLE)
})

test('an intention is replaced by its ID, also with another source, and keeps the time of its creation', t =>
  given(stored(legacy(1, 'db')))
    .when(configEntryAggregate, update(legacy(1, 'api', { LegacyCreateTime: '2026-01-01T00:00:00Z' })))
    .gives(t, [ENTRY, { ConfigEntry: { Sources: [legacy(1, 'api')] } }]))

test('an intention is taken out by its ID', t =>
  given(stored(legacy(1, 'db'), legacy(2, '*')))
    .when(configEntryAggregate, removeById(1))
    .gives(t, [ENTRY, { ConfigEntry: { Sources: [legacy(2, '*')] } }]))

test('an unknown ID is neither replaced nor taken out', t => {
  given(stored(legacy(1, 'db')))
    .when(configEntryAggregate, update(legacy(3, 'db')))
    .refuses(t, 'intention.not-found', `Cannot modify non-existent intention: '${id(3)}'`)
  given()
    .when(configEntryAggregate, removeById(3))
    .refuses(t, 'intention.not-found', `Cannot delete non-existent intention: '${id(3)}'`)
})
