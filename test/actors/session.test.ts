// Decisions on sessions (spec: state.md §5).
import test from 'ava'
import { kvAggregate } from '../../actors/kv.js'
import { queryUpserted } from '../../actors/query.js'
import { sessionAggregate, type SessionContent } from '../../actors/session.js'
import type { Event } from '../../events/envelope.js'
import { checkInput, nodeInput, registered, serviceInput } from '../support/catalog.js'
import { command, given } from '../support/decision-spec.js'
import { storedQuery } from '../support/queries.js'
import { id } from './acl-resources.js'

const SECOND = 1e9
const team = { partition: 'default', namespace: 'team' }

/** A node with a check that passes, one that is critical, and one of its service. */
const node = registered(nodeInput('n'), {
  service: serviceInput('web'),
  checks: [
    checkInput('n', 'up'),
    checkInput('n', 'down', { Status: 'critical' }),
    checkInput('n', 'web-up', { ServiceID: 'web' })
  ]
})
const inputOf = (parts: Partial<SessionContent> = {}): SessionContent => ({
  Name: '',
  Node: 'n',
  LockDelay: 15 * SECOND,
  Behavior: 'release',
  TTL: '',
  NodeChecks: ['up'],
  ServiceChecks: null,
  Checks: [],
  ...parts
})
const create = (parts: Partial<SessionContent> = {}, newId = id(1)) =>
  command('CreateSession', { ...inputOf(parts), newId })
const destroy = (of: string) => command('DestroySession', { id: of })
const made = (parts: Partial<SessionContent> = {}, newId = id(1)): readonly Event[] =>
  given(...node)
    .when(sessionAggregate, create(parts, newId))
    .events()
const lock = (key: string, session: string): readonly Event[] =>
  given(...node, ...made({}, session))
    .when(kvAggregate, command('LockKey', { key, value: 'YQ==', flags: '0', session }))
    .events()

test('a session is stored as given, with the index of its commit', t => {
  const { Checks: _, ...stored } = inputOf({ Name: 'lock', TTL: '30s', Behavior: 'delete' })
  const outcome = given(...node).when(sessionAggregate, create(stored))
  const indexes = { CreateIndex: node.length + 1, ModifyIndex: node.length + 1 }
  outcome.gives(t, [`SessionCreated ${id(1)}`, { Session: { ID: id(1), ...stored, ...indexes } }])
  t.deepEqual(outcome.events()[0]?.FilterKeys, ['n', 'lock'])
})

test('a session is found by its node alone where it has no name', t =>
  t.deepEqual(made()[0]?.FilterKeys, ['n']))

test('the node must be named', t =>
  given(...node)
    .when(sessionAggregate, create({ Node: '' }))
    .refuses(t, 'session.invalid', 'Must provide Node'))

test('the node must be registered', t =>
  given(...node)
    .when(sessionAggregate, create({ Node: 'm' }))
    .refuses(t, 'session.node-unknown', 'Missing node registration'))

test('the node is found in any letter case, and keeps that of the caller', t =>
  given(...node)
    .when(sessionAggregate, create({ Node: 'N' }))
    .gives(t, [`SessionCreated ${id(1)}`, { Session: { Node: 'N' } }]))

for (const TTL of ['', '0s', '10s', '24h', '1h30m'])
  test(`a TTL of "${TTL}" is kept as it was written`, t =>
    given(...node)
      .when(sessionAggregate, create({ TTL }))
      .gives(t, [`SessionCreated ${id(1)}`, { Session: { TTL } }]))

for (const [TTL, text] of [
  ['9.999s', /Invalid Session TTL '9999000000', must be between \[10s=24h0m0s\]/],
  ['24h1ns', /must be between/],
  ['-10s', /must be between/],
  ['10', /Session TTL '10' invalid/],
  ['soon', /Session TTL 'soon' invalid/]
] as const)
  test(`a TTL of "${TTL}" is refused`, t =>
    given(...node)
      .when(sessionAggregate, create({ TTL }))
      .refuses(t, 'session.invalid', text))

for (const [what, parts] of [
  ['NodeChecks', { NodeChecks: ['none'] }],
  ['Checks', { Checks: ['none'] }],
  ['ServiceChecks', { ServiceChecks: [{ ID: 'none', Namespace: '' }] }]
] as const)
  test(`a check among ${what} must be registered`, t =>
    given(...node)
      .when(sessionAggregate, create(parts))
      .refuses(t, 'session.check-unknown', "Missing check 'none' registration"))

test('a check that is critical carries no session', t =>
  given(...node)
    .when(sessionAggregate, create({ NodeChecks: ['up', 'down'] }))
    .refuses(t, 'session.check-critical', "Check 'down' is in critical state"))

test('a check of a service is looked for in the namespace named, else in that of the session', t => {
  const ServiceChecks = (Namespace: string) => ({ ServiceChecks: [{ ID: 'web-up', Namespace }] })
  const inTeam = (Namespace: string) => ({ ...create(ServiceChecks(Namespace)), tenancy: team })
  given(...node)
    .when(sessionAggregate, create(ServiceChecks('')))
    .gives(t, [`SessionCreated ${id(1)}`, { Session: ServiceChecks('') }])
  given(...node)
    .when(sessionAggregate, inTeam(''))
    .refuses(t, 'session.check-unknown', "Missing check 'web-up' registration")
  given(...node)
    .when(sessionAggregate, inTeam('default'))
    .gives(t, [`SessionCreated ${id(1)}`, { Session: ServiceChecks('default') }])
})

test('the end of a session tells what it was', t =>
  given(...node, ...made({ Name: 'lock' }))
    .when(sessionAggregate, destroy(id(1)))
    .gives(t, [`SessionDestroyed ${id(1)}`, { Session: { Name: 'lock', Node: 'n' } }]))

test('a session that is not there, or in another namespace, ends without a word', t => {
  given(...node)
    .when(sessionAggregate, destroy(id(1)))
    .gives(t)
  given(...node, ...made())
    .when(sessionAggregate, { ...destroy(id(1)), tenancy: team })
    .gives(t)
})

test('its keys are released in their order, with the value they have', t => {
  const history = [...node, ...made(), ...lock('b', id(1)), ...lock('a', id(1)), ...lock('c', id(2))]
  const outcome = given(...history).when(sessionAggregate, destroy(id(1)))
  const ModifyIndex = history.length + 1
  outcome.gives(
    t,
    `SessionDestroyed ${id(1)}`,
    ['KVUnlock a', { KV: { Value: 'YQ==', LockIndex: 1, ModifyIndex } }],
    ['KVUnlock b', { KV: { Value: 'YQ==', LockIndex: 1, ModifyIndex } }]
  )
  t.false(JSON.stringify(outcome.events().slice(1)).includes(id(1)))
})

test('its keys are deleted where it was made so', t =>
  given(...node, ...made({ Behavior: 'delete' }), ...lock('a', id(1)))
    .when(sessionAggregate, destroy(id(1)))
    .gives(t, `SessionDestroyed ${id(1)}`, ['KVDelete a', { KV: { Key: 'a', Session: id(1) } }]))

test('the queries that are bound to it go with it, after its keys', t =>
  given(
    ...node,
    ...made(),
    queryUpserted(storedQuery(id(5), { Session: id(1) })),
    queryUpserted(storedQuery(id(6), { Name: 'other' })),
    ...lock('a', id(1))
  )
    .when(sessionAggregate, destroy(id(1)))
    .gives(t, `SessionDestroyed ${id(1)}`, 'KVUnlock a', `PreparedQueryDeleted ${id(5)}`))

test('sessions whose TTL ran out are invalidated together, each with its keys; what is gone is passed over', t =>
  given(...node, ...made(), ...made({}, id(2)), ...lock('a', id(1)), ...lock('b', id(2)))
    .when(sessionAggregate, command('ExpireSessions', { ids: [id(2), id(9), id(1)] }))
    .gives(t, `SessionInvalidated ${id(2)}`, 'KVUnlock b', `SessionInvalidated ${id(1)}`, 'KVUnlock a'))
