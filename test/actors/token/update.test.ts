import test from 'ava'
import { tokenAggregate } from '../../../actors/token.js'
import type { RefusalCode } from '../../../actors/refusal-codes.js'
import { isTokenEvent, type Token, type TokenInput } from '../../../events/token.js'
import { command, given } from '../../support/decision-spec.js'
import { policyFixture, tokenFixture, tokenInput, id } from '../acl-resources.js'

const EXPIRES = '2026-01-01T12:00:00.000+01:00'
const [accessor, local, expiring, expired] = [id(1), id(3), id(5), id(7)]
const world = given(
  policyFixture(id(11), 'web'),
  tokenFixture(accessor, id(2), {
    Description: 'old',
    Policies: [{ ID: id(11), Name: 'web' }],
    CreateIndex: 2
  }),
  tokenFixture(local, id(4), { Local: true }),
  tokenFixture(expiring, id(6), { ExpirationTime: EXPIRES }),
  tokenFixture(expired, id(8), { ExpirationTime: '2025-12-31T23:59:59Z' })
)
const update = (of: string, parts: Partial<TokenInput> = {}) =>
  command('UpdateToken', { ...tokenInput(parts), accessor: of })
const updated = (of: string, parts: Partial<TokenInput> = {}): Token => {
  const [event] = world.when(tokenAggregate, update(of, parts)).events()
  if (!event || !isTokenEvent(event)) throw new Error('no token was updated')
  return event.Payload.ACLToken
}

test('an update replaces everything that a caller may change: what is absent is emptied', t => {
  const token = updated(accessor, { ServiceIdentities: [{ ServiceName: 'a', Datacenters: [] }] })
  t.is(token.Description, '')
  t.deepEqual(token.Policies, [])
  t.deepEqual(token.ServiceIdentities, [{ ServiceName: 'a' }])
})

test('an update keeps identity, secret, birth and creation index, and takes the index of its commit', t => {
  const [event] = world.when(tokenAggregate, update(accessor.toUpperCase())).events()
  t.deepEqual(event?.Secrets, { SecretID: id(2) })
  const token = updated(accessor.toUpperCase())
  t.is(token.AccessorID, accessor)
  t.is(token.CreateTime, '2025-12-31T00:00:00Z')
  t.is(token.CreateIndex, 2)
  t.is(token.ModifyIndex, 6)
})

test('an update that changes nothing is a commit all the same', t => {
  const same = { Description: 'old', Policies: [{ ID: id(11) }] }
  world
    .when(tokenAggregate, update(accessor, same))
    .gives(t, [
      `ACLTokenUpserted ${accessor}`,
      { ACLToken: { Description: 'old', Policies: [{ ID: id(11), Name: 'web' }], ModifyIndex: 6 } }
    ])
})

test('what cannot change may be repeated: secret, locality, the same instant of expiration in another zone', t => {
  t.is(updated(accessor, { SecretID: id(2) }).AccessorID, accessor)
  t.true(updated(local, { Local: true }).Local)
  for (const ExpirationTime of ['2026-01-01T11:00:00Z', EXPIRES, '0001-01-01T00:00:00Z', undefined])
    t.is(updated(expiring, { ExpirationTime }).ExpirationTime, EXPIRES)
})

const refused: readonly (readonly [
  what: string,
  code: RefusalCode,
  of: string,
  parts: Partial<TokenInput>,
  text: RegExp
])[] = [
  [
    'another secret',
    'acl.token.immutable',
    accessor,
    { SecretID: id(9) },
    /Changing a tokens SecretID is not permitted/
  ],
  [
    'the hidden secret',
    'acl.token.immutable',
    accessor,
    { SecretID: '<hidden>' },
    /Changing a tokens SecretID is not permitted/
  ],
  [
    'a global token made local',
    'acl.token.immutable',
    accessor,
    { Local: true },
    /cannot toggle local mode of aaaaaaaa/
  ],
  [
    'a local token without its Local',
    'acl.token.immutable',
    local,
    {},
    /cannot toggle local mode of aaaaaaaa/
  ],
  [
    'an auth method',
    'acl.token.immutable',
    accessor,
    { AuthMethod: 'kube' },
    /Cannot change AuthMethod of aaaaaaaa/
  ],
  [
    'a TTL',
    'acl.token.expiration-invalid',
    accessor,
    { ExpirationTTL: 60e9 },
    /Cannot change expiration time of aaaaaaaa/
  ],
  [
    'a new expiration',
    'acl.token.expiration-invalid',
    accessor,
    { ExpirationTime: EXPIRES },
    /Cannot change expiration time of aaaaaaaa/
  ],
  [
    'another expiration',
    'acl.token.expiration-invalid',
    expiring,
    { ExpirationTime: '2026-01-01T11:00:00.001Z' },
    /Cannot change expiration/
  ],
  [
    'an unknown link',
    'acl.link.unknown',
    accessor,
    { Policies: [{ Name: 'gone' }] },
    /No such ACL policy with name "gone"/
  ],
  ['rules', 'acl.token.invalid', accessor, { Rules: 'acl = "read"' }, /Rules cannot be specified/],
  ['an unknown accessor', 'acl.token.not-found', id(99), {}, /Cannot find token "aaaaaaaa/],
  ['an expired token', 'acl.token.not-found', expired, {}, /Cannot find token "aaaaaaaa/],
  ['an accessor that is no UUID', 'acl.token.invalid', 'x', {}, /AccessorID is not a valid UUID/]
]
for (const [what, code, of, parts, text] of refused)
  test(`an update with ${what} is refused`, t =>
    world.when(tokenAggregate, update(of, parts)).refuses(t, code, text))

test('a legacy token that is updated becomes an ordinary one', t => {
  const legacy = given(tokenFixture(accessor, id(2), { Rules: 'key "" { policy = "read" }' }))
  const [event] = legacy.when(tokenAggregate, update(accessor)).events()
  t.false(JSON.stringify(event).includes('Rules'))
})
