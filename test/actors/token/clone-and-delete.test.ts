import test from 'ava'
import { tokenAggregate } from '../../../actors/token.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { isPolicyEvent, policyEvents } from '../../../events/policy.js'
import { ANONYMOUS_ACCESSOR, isTokenEvent, type Token } from '../../../events/token.js'
import { COMMAND_TIME, command, given } from '../../support/decision-spec.js'
import {
  anonymousToken,
  policyFixture,
  tokenFixture,
  id,
  NEW_ACCESSOR,
  NEW_SECRET
} from '../acl-resources.js'

const [accessor, login, legacy, nearEnd] = [id(1), id(3), id(5), id(7)]
const gone = policyFixture(id(12), 'gone')
if (!isPolicyEvent(gone)) throw new Error('not a policy')
const world = given(
  anonymousToken(),
  policyFixture(id(11), 'web'),
  gone,
  tokenFixture(accessor, id(2), {
    Description: 'source',
    Policies: [
      { ID: id(12), Name: 'gone' },
      { ID: id(11), Name: 'old name' }
    ],
    NodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }],
    Local: true,
    ExpirationTime: '2026-01-01T13:00:00+01:00'
  }),
  tokenFixture(login, id(4), { AuthMethod: 'kube' }),
  tokenFixture(legacy, id(6), { Rules: 'acl = "read"' }),
  tokenFixture(nearEnd, id(8), { ExpirationTime: '2026-01-01T00:00:59Z' }),
  policyEvents.create('ACLPolicyDeleted', DEFAULT_TENANCY, gone.Payload.ACLPolicy)
)
const clone = (of: string, Description = '') =>
  command('CloneToken', { accessor: of, Description, newAccessor: NEW_ACCESSOR, newSecret: NEW_SECRET })
const cloned = (of: string, Description?: string): Token => {
  const [event] = world.when(tokenAggregate, clone(of, Description)).events()
  if (!event || !isTokenEvent(event)) throw new Error('nothing was cloned')
  return event.Payload.ACLToken
}

test('a clone has new IDs and times, and the links that still lead somewhere', t => {
  const token = cloned(accessor)
  t.is(token.AccessorID, NEW_ACCESSOR)
  t.is(token.Description, 'source')
  t.deepEqual(token.Policies, [{ ID: id(11), Name: 'web' }])
  t.deepEqual(token.NodeIdentities, [{ NodeName: 'n', Datacenter: 'dc1' }])
  t.true(token.Local)
  t.is(token.ExpirationTime, '2026-01-01T13:00:00+01:00')
  t.is(token.CreateTime, '2026-01-01T00:00:00Z')
  t.is(token.CreateIndex, 9)
})

test('a clone takes the description that is given', t => t.is(cloned(accessor, 'mine').Description, 'mine'))

test('the anonymous token can be cloned; the clone has an ordinary secret', t => {
  const [event] = world.when(tokenAggregate, clone(ANONYMOUS_ACCESSOR)).events()
  t.deepEqual(event?.Secrets, { SecretID: NEW_SECRET })
})

test('what cannot be cloned', t => {
  world.when(tokenAggregate, clone('x')).refuses(t, 'acl.token.invalid', /not a valid UUID/)
  world.when(tokenAggregate, clone(id(99))).refuses(t, 'acl.not-found', /ACL not found/)
  world
    .when(tokenAggregate, clone(login))
    .refuses(t, 'acl.token.not-clonable', /Cannot clone a token created from an auth/)
  world.when(tokenAggregate, clone(legacy)).refuses(t, 'acl.token.not-clonable', /Cannot clone a legacy ACL/)
  world
    .when(tokenAggregate, clone(nearEnd))
    .refuses(t, 'acl.token.expiration-invalid', /cannot be less than 1m0s in the future/)
})

const remove = (of: string, caller?: string) =>
  command('DeleteToken', { accessor: of }, caller === undefined ? {} : { caller })

test('a deletion tells what the token was', t => {
  const [event] = world.when(tokenAggregate, remove(accessor)).events()
  t.is(event?.Type, 'ACLTokenDeleted')
  t.deepEqual(event?.FilterKeys, [id(12), id(11)])
  t.is(event?.Secrets, undefined)
})

test('deleting what is not there changes nothing', t => {
  world.when(tokenAggregate, remove(id(99))).gives(t)
})

test('what cannot be deleted: a name that is no UUID, the anonymous token, the token that asks', t => {
  world
    .when(tokenAggregate, remove('x'))
    .refuses(t, 'acl.token.invalid', /Accessor ID is missing or an invalid UUID/)
  world
    .when(tokenAggregate, remove(ANONYMOUS_ACCESSOR))
    .refuses(t, 'acl.token.built-in', /Delete operation not permitted on the anonymous token/)
  world
    .when(tokenAggregate, remove(accessor.toUpperCase(), accessor))
    .refuses(t, 'acl.token.invalid', /Deletion of the request's authorization token is not permitted/)
})

test('the sweep deletes, in one commit, those that have ended at its time and no others', t => {
  const at = COMMAND_TIME + 60_000
  const accessors = [nearEnd, accessor, login, id(99)]
  world
    .when(tokenAggregate, command('ExpireTokens', { accessors }, { at }))
    .gives(t, `ACLTokenDeleted ${nearEnd}`)
})

test('a token is valid at the very time of its expiration, and ends after it', t => {
  const sweep = (at: number) => command('ExpireTokens', { accessors: [nearEnd] }, { at })
  world.when(tokenAggregate, sweep(COMMAND_TIME + 59_000)).gives(t)
  world.when(tokenAggregate, sweep(COMMAND_TIME + 59_001)).gives(t, `ACLTokenDeleted ${nearEnd}`)
})

test('a token that comes due several times at once ends once', t => {
  const accessors = [nearEnd, nearEnd, nearEnd.toUpperCase()]
  world
    .when(tokenAggregate, command('ExpireTokens', { accessors }, { at: COMMAND_TIME + 60_000 }))
    .gives(t, `ACLTokenDeleted ${nearEnd}`)
})
