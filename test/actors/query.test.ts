// Decisions on prepared queries (spec: queries.md §3).
import test from 'ava'
import { queryAggregate } from '../../actors/query.js'
import { queryUpserted } from '../../actors/query.js'
import { command, given, viewsAfter } from '../support/decision-spec.js'
import { queryInput, storedQuery, type QueryChanges } from '../support/queries.js'

const ID = '5ec51e41-9583-2bf5-eed4-3bfcbffede4f'
const OTHER = '11111111-2222-3333-4444-555555555555'

const stored = (changes: QueryChanges = {}, id = ID) => queryUpserted(storedQuery(id, changes))

const template = { Template: { Type: 'name_prefix_match' } }
const create = (changes: QueryChanges) => command('CreateQuery', { query: queryInput(changes), newId: OTHER })
const update = (changes: QueryChanges, id = ID) => command('UpdateQuery', { query: queryInput(changes), id })

test('a query is created', t =>
  given()
    .when(queryAggregate, create({}))
    .gives(t, [`PreparedQueryUpserted ${OTHER}`, { PreparedQuery: storedQuery(OTHER) }]))

test('a namespace that is not given is not stored', t => {
  const [event] = given().when(queryAggregate, create({})).events()
  t.false(JSON.stringify(event?.Payload).includes('Namespace'))
})

test('its token travels apart from what everybody may see', t => {
  const [event] = given()
    .when(queryAggregate, create({ Token: 'secret' }))
    .events()
  t.deepEqual(event?.Secrets, { Token: 'secret' })
  t.false(JSON.stringify(event?.Payload).includes('secret'))
  t.true(JSON.stringify(event?.Payload).includes('<hidden>'))
})

test('the events name what a subscriber may ask for', t => {
  const [event] = given()
    .when(queryAggregate, create({ Service: { Service: 's' } }))
    .events()
  t.deepEqual(event?.FilterKeys, ['web', 's'])
})

test('an update replaces everything but the index of the creation', t => {
  const outcome = given(stored({ Token: 'x' })).when(queryAggregate, update({ Name: 'new' }))
  outcome.gives(t, [
    `PreparedQueryUpserted ${ID}`,
    { PreparedQuery: { Name: 'new', Token: '', CreateIndex: 1, ModifyIndex: 2 } }
  ])
  t.is(outcome.events()[0]?.Secrets, undefined)
})

test('an update through an ID in upper case keeps the ID', t =>
  given(stored())
    .when(queryAggregate, update({}, ID.toUpperCase()))
    .gives(t, [`PreparedQueryUpserted ${ID}`, { PreparedQuery: { ID } }]))

test('a deletion tells what was deleted', t =>
  given(stored())
    .when(queryAggregate, command('DeleteQuery', { id: ID }))
    .gives(t, [`PreparedQueryDeleted ${ID}`, { PreparedQuery: { ID, Name: 'web' } }]))

for (const [what, changes, text] of [
  ['without name, template and session', { Name: '' }, /Must be bound to a session/],
  ['with a hidden token', { Token: '<hidden>' }, /Bad Token '<hidden>'/],
  ['without a service', { Service: { Service: '' } }, /Must provide a Service name to query/],
  ['of all namespaces', { Service: { Namespace: '*' } }, /Bad Namespace '\*' in Service/],
  ['of no name of a namespace', { Service: { Namespace: '${match(1)}' } }, /Bad Namespace/],
  [
    'with a negative number of datacenters',
    { Service: { Failover: { NearestN: -1, Datacenters: null } } },
    /Bad NearestN/
  ],
  [
    'with an empty key of metadata',
    { Service: { NodeMeta: { '': 'x' } } },
    /metadata pair .* Key cannot be blank/
  ],
  [
    'with a bad key of metadata',
    { Service: { NodeMeta: { 'a.b': 'x' } } },
    /metadata pair .* invalid characters/
  ],
  [
    'with a long value of metadata',
    { Service: { NodeMeta: { a: 'x'.repeat(513) } } },
    /metadata pair .* too long/
  ],
  ['with a TTL that is none', { DNS: { TTL: '10' } }, /Bad DNS TTL/],
  ['with a negative TTL', { DNS: { TTL: '-1s' } }, /DNS TTL/],
  ['with a session that is no UUID', { Session: 'nope' }, /invalid session/],
  ['with a session that does not exist', { Session: OTHER }, /invalid session/],
  ['with another type of template', { Template: { Type: 'other' } }, /Bad Template.Type/],
  [
    'with a template that does not compile',
    { ...template, Service: { Service: '${bad}' } },
    /failed compiling template: Bad evaluation/
  ],
  [
    'with a bad regular expression',
    { Template: { Type: 'name_prefix_match', Regexp: '(' } },
    /failed compiling template: Bad Regexp/
  ]
] as const)
  test(`a query ${what} is refused`, t =>
    given().when(queryAggregate, create(changes)).refuses(t, 'query.invalid', text))

test('names are unique without regard to case, of static queries and templates alike', t => {
  given(stored())
    .when(queryAggregate, create({ Name: 'WEB' }))
    .refuses(t, 'query.name-taken', /aliases an existing query name/)
  given(stored())
    .when(queryAggregate, create(template))
    .refuses(t, 'query.name-taken', /aliases an existing query name/)
  given(stored())
    .when(queryAggregate, update({ Name: 'Web' }))
    .gives(t, [`PreparedQueryUpserted ${ID}`, { PreparedQuery: { Name: 'Web' } }])
})

test('there is one template for all names', t => {
  const all = { Name: '', ...template }
  given(stored(all))
    .when(queryAggregate, create(all))
    .refuses(t, 'query.name-taken', /template with an empty name already exists/)
  given(stored(all))
    .when(queryAggregate, update(all))
    .gives(t, [`PreparedQueryUpserted ${ID}`, { PreparedQuery: { Name: '' } }])
})

test('a name may not be the ID of a query', t => {
  given(stored())
    .when(queryAggregate, create({ Name: ID }))
    .refuses(t, 'query.name-taken', /aliases an existing query ID/)
  given(stored())
    .when(queryAggregate, create({ Name: OTHER }))
    .gives(t, `PreparedQueryUpserted ${OTHER}`)
})

test('what does not exist is neither changed nor deleted', t => {
  given()
    .when(queryAggregate, update({}))
    .refuses(t, 'query.not-found', /non-existent prepared query: '5ec/)
  given()
    .when(queryAggregate, command('DeleteQuery', { id: 'name' }))
    .refuses(t, 'query.not-found', /UUID must be 36 characters/)
})

test('the longest prefix wins, in any letter case, and only templates have prefixes', t => {
  const views = viewsAfter([
    stored({ Name: '', ...template }, '00000000-0000-4000-8000-000000000001'),
    stored({ Name: 'Geo-', ...template }, '00000000-0000-4000-8000-000000000002'),
    stored({ Name: 'geo-db-', ...template }, '00000000-0000-4000-8000-000000000003'),
    stored({ Name: 'fixed' }, '00000000-0000-4000-8000-000000000004')
  ])
  const found = (name: string): string | undefined => views.queries.templateFor(name)?.query.Name
  t.deepEqual(['geo-x', 'GEO-DB-x', 'geo', 'fixed-x'].map(found), ['Geo-', 'geo-db-', '', ''])
})
