import test from 'ava'
import { accessAggregate } from '../../actors/access.js'
import { accessEvents } from '../../events/cluster.js'
import type { Event } from '../../events/envelope.js'
import { MANAGEMENT_POLICY_ID } from '../../events/policy.js'
import { ANONYMOUS_ACCESSOR, isTokenEvent } from '../../events/token.js'
import { MANAGEMENT_POLICY_RULES } from '../../projections/acl/rules/builtin.js'
import { command, given, viewsAfter } from '../support/decision-spec.js'
import { anonymousToken, tokenFixture, builtinPolicy, id, NEW_ACCESSOR, NEW_SECRET } from './acl-resources.js'

const bootstrap = (resetIndex?: number) =>
  command('Bootstrap', { newAccessor: NEW_ACCESSOR, newSecret: NEW_SECRET, resetIndex })
const initial = (secret: string) => command('CreateInitialManagement', { secret, newAccessor: NEW_ACCESSOR })
const start: readonly Event[] = [builtinPolicy(), anonymousToken()]
const hashOf = (event: Event | undefined): string | undefined =>
  event && isTokenEvent(event) ? event.Payload.ACLToken.Hash : undefined
/** A history in which the system was bootstrapped by the commit with index 3. */
const bootstrapped = [
  ...start,
  ...given(...start)
    .when(accessAggregate, bootstrap())
    .events()
    .filter(accessEvents.is)
]

test('what must be there from the first start is made once', t => {
  const policy = command('CreateBuiltinPolicy', null)
  const anonymous = command('CreateAnonymousToken', null)
  given()
    .when(accessAggregate, policy)
    .gives(t, [
      `ACLPolicyUpserted ${MANAGEMENT_POLICY_ID}`,
      { ACLPolicy: { Name: 'global-management', Rules: MANAGEMENT_POLICY_RULES, CreateIndex: 1 } }
    ])
  given().when(accessAggregate, anonymous).gives(t, `ACLTokenUpserted ${ANONYMOUS_ACCESSOR}`)
  given(...start)
    .when(accessAggregate, policy)
    .gives(t)
  given(...start)
    .when(accessAggregate, anonymous)
    .gives(t)
})

test('the anonymous token has the secret `anonymous`, no links and the time of year one', t => {
  const asked = given().when(accessAggregate, command('CreateAnonymousToken', null))
  const ACLToken = {
    Description: 'Anonymous Token',
    Policies: [],
    CreateTime: '0001-01-01T00:00:00Z',
    Local: false
  }
  asked.gives(t, [`ACLTokenUpserted ${ANONYMOUS_ACCESSOR}`, { ACLToken }])
  t.deepEqual(asked.events()[0]?.Secrets, { SecretID: 'anonymous' })
})

test('a bootstrap makes a token linked to the built-in policy, and remembers its index', t => {
  const asked = given(...start).when(accessAggregate, bootstrap())
  const ACLToken = {
    Description: 'Bootstrap Token (Global Management)',
    Policies: [{ ID: MANAGEMENT_POLICY_ID, Name: 'global-management' }],
    CreateIndex: 3
  }
  asked.gives(
    t,
    ['ACLBootstrapped acl', { ACLBootstrap: { AccessorID: NEW_ACCESSOR, ResetIndex: 3 } }],
    [`ACLTokenUpserted ${NEW_ACCESSOR}`, { ACLToken }]
  )
  t.deepEqual(asked.events()[1]?.Secrets, { SecretID: NEW_SECRET })
})

test('the link of the bootstrap token has the name that the built-in policy has now', t => {
  const renamed = builtinPolicy()
  const policy = {
    ...renamed.Payload,
    ACLPolicy: { ...Reflect.get(renamed.Payload, 'ACLPolicy'), Name: 'all' }
  }
  const ACLToken = { Policies: [{ ID: MANAGEMENT_POLICY_ID, Name: 'all' }] }
  given({ ...renamed, Payload: policy }, anonymousToken())
    .when(accessAggregate, bootstrap())
    .gives(t, 'ACLBootstrapped acl', [`ACLTokenUpserted ${NEW_ACCESSOR}`, { ACLToken }])
})

test('a second bootstrap is refused, and the text names the index that a reset must name', t => {
  given(...bootstrapped)
    .when(accessAggregate, bootstrap())
    .refuses(t, 'acl.bootstrap.done', 'Permission denied: ACL bootstrap no longer allowed (reset index: 3)')
})

test('a reset that names another index is refused', t => {
  given(...bootstrapped)
    .when(accessAggregate, bootstrap(7))
    .refuses(
      t,
      'acl.bootstrap.reset-index-wrong',
      'Invalid bootstrap reset index (specified 7, reset index: 3)'
    )
})

test('a reset that names the index bootstraps again, and the index becomes that of the new commit', t => {
  const asked = given(...bootstrapped).when(accessAggregate, bootstrap(3))
  asked.gives(
    t,
    ['ACLBootstrapped acl', { ACLBootstrap: { AccessorID: NEW_ACCESSOR, ResetIndex: 4 } }],
    `ACLTokenUpserted ${NEW_ACCESSOR}`
  )
  t.deepEqual(viewsAfter([...bootstrapped, ...asked.events()]).access.bootstrap, {
    AccessorID: NEW_ACCESSOR,
    ResetIndex: 4
  })
})

test('a bootstrap before the first start has made the built-in policy makes it too', t => {
  given()
    .when(accessAggregate, bootstrap())
    .gives(
      t,
      'ACLBootstrapped acl',
      `ACLPolicyUpserted ${MANAGEMENT_POLICY_ID}`,
      `ACLTokenUpserted ${NEW_ACCESSOR}`
    )
})

test('the configured management token counts as the bootstrap; its secret need not be a UUID', t => {
  const asked = given(builtinPolicy()).when(accessAggregate, initial('root'))
  asked.gives(
    t,
    ['ACLBootstrapped acl', { ACLBootstrap: { AccessorID: NEW_ACCESSOR, ResetIndex: 2 } }],
    [`ACLTokenUpserted ${NEW_ACCESSOR}`, { ACLToken: { Description: 'Initial Management Token' } }]
  )
  t.deepEqual(asked.events()[1]?.Secrets, { SecretID: 'root' })
})

test('the configured management token is just made when the system was bootstrapped before', t => {
  given(...bootstrapped)
    .when(accessAggregate, initial('root'))
    .gives(t, `ACLTokenUpserted ${NEW_ACCESSOR}`)
})

test('the configured management token is not made when a token has its secret', t => {
  given(...start, tokenFixture(id(1), 'root'))
    .when(accessAggregate, initial('root'))
    .gives(t)
})

test('the hash of a bootstrap token differs from that of an equal token of a user', t => {
  const [, bootstrapToken] = given(...start)
    .when(accessAggregate, bootstrap())
    .events()
  const user = tokenFixture(NEW_ACCESSOR, NEW_SECRET, {
    Description: 'Bootstrap Token (Global Management)',
    Policies: [{ ID: MANAGEMENT_POLICY_ID, Name: 'global-management' }]
  })
  t.not(hashOf(bootstrapToken), hashOf(user))
})

test('a legacy token of the configuration is made once, with its rules and the time of year one', t => {
  const legacy = (secret: string, rules: string) =>
    command('CreateLegacyToken', { secret, rules, name: 'old', newAccessor: NEW_ACCESSOR })
  const asked = given(...start).when(accessAggregate, legacy('s', 'key "a" { policy = "read" }'))
  const ACLToken = {
    Description: 'old',
    Rules: 'key "a" { policy = "read" }',
    CreateTime: '0001-01-01T00:00:00Z'
  }
  asked.gives(t, [`ACLTokenUpserted ${NEW_ACCESSOR}`, { ACLToken }])
  given(tokenFixture(id(1), 's'))
    .when(accessAggregate, legacy('s', ''))
    .gives(t)
  given(...start)
    .when(accessAggregate, legacy('s', 'key "a" { policy = "x" }'))
    .refuses(
      t,
      'acl.policy.rules-invalid',
      /legacy token "old" \(acl.legacy_tokens\): Invalid key_prefix policy/
    )
})
