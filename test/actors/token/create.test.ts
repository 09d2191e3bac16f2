import test from 'ava'
import { tokenAggregate } from '../../../actors/token.js'
import type { Event } from '../../../events/envelope.js'
import type { RefusalCode } from '../../../actors/refusal-codes.js'
import { isTokenEvent, type Token, type TokenInput } from '../../../events/token.js'
import { command, given } from '../../support/decision-spec.js'
import { policyFixture, tokenFixture, tokenInput, id, NEW_ACCESSOR, NEW_SECRET } from '../acl-resources.js'

const SECOND_NS = 1e9
const create = (parts: Partial<TokenInput> = {}) =>
  command('CreateToken', { ...tokenInput(parts), newAccessor: NEW_ACCESSOR, newSecret: NEW_SECRET })
const world = given(tokenFixture(id(1), id(2)), policyFixture(id(11), 'web'), policyFixture(id(12), 'Batch'))
const made = (parts: Partial<TokenInput>): { readonly token: Token; readonly event: Event } => {
  const [event] = world.when(tokenAggregate, create(parts)).events()
  if (!event || !isTokenEvent(event)) throw new Error('no token was made')
  return { token: event.Payload.ACLToken, event }
}
const hashOf = (parts: Partial<TokenInput>): string => made(parts).token.Hash

test('a token gets the IDs of the command, the time of the command and the index of its commit', t => {
  const { token, event } = made({ Description: 'mine' })
  t.is(token.AccessorID, NEW_ACCESSOR)
  t.is(token.SecretID, '')
  t.deepEqual(event.Secrets, { SecretID: NEW_SECRET })
  t.is(token.CreateTime, '2026-01-01T00:00:00Z')
  t.is(token.CreateIndex, 4)
  t.is(token.ModifyIndex, 4)
  t.regex(token.Hash, /^[A-Za-z0-9+/]{43}=$/)
  t.false(JSON.stringify(event.Payload).includes(NEW_SECRET))
})

test('a token may bring its own IDs, the secret equal to the accessor', t => {
  const { token, event } = made({ AccessorID: id(5), SecretID: id(5) })
  t.is(token.AccessorID, id(5))
  t.deepEqual(event.Secrets, { SecretID: id(5) })
})

test('an ID that starts like the reserved ones but is none is accepted', t => {
  const accepted = '00000000-0000-0000-0000-000000000109'
  t.is(made({ AccessorID: accepted }).token.AccessorID, accepted)
})

const refused: readonly (readonly [
  what: string,
  code: RefusalCode,
  parts: Partial<TokenInput>,
  text: RegExp
])[] = [
  ['an accessor in use', 'acl.token.id-taken', { AccessorID: id(1) }, /AccessorID is already in use/],
  [
    'an accessor in use in other letter case',
    'acl.token.id-taken',
    { AccessorID: id(1).toUpperCase() },
    /AccessorID is already in use/
  ],
  [
    'an accessor that is a secret',
    'acl.token.id-taken',
    { AccessorID: id(2) },
    /AccessorID is already in use/
  ],
  ['a secret in use', 'acl.token.id-taken', { SecretID: id(2) }, /SecretID is already in use/],
  ['a secret that is an accessor', 'acl.token.id-taken', { SecretID: id(1) }, /SecretID is already in use/],
  ['an accessor that is no UUID', 'acl.token.invalid', { AccessorID: 'x' }, /AccessorID is not a valid UUID/],
  ['a secret that is no UUID', 'acl.token.invalid', { SecretID: 'x' }, /SecretID is not a valid UUID/],
  [
    'a reserved accessor',
    'acl.token.invalid',
    { AccessorID: '00000000-0000-0000-0000-000000000099' },
    /reserved/
  ],
  [
    'a reserved secret',
    'acl.token.invalid',
    { SecretID: '00000000-0000-0000-0000-000000000003' },
    /reserved/
  ],
  [
    'an auth method',
    'acl.token.invalid',
    { AuthMethod: 'kube' },
    /AuthMethod field is disallowed outside of Login/
  ],
  [
    'rules of its own',
    'acl.token.invalid',
    { Rules: 'key "" {}' },
    /Rules cannot be specified for this token/
  ],
  [
    'a negative TTL',
    'acl.token.expiration-invalid',
    { ExpirationTTL: -300 * SECOND_NS },
    /Token Expiration TTL '-5m0s' should be > 0/
  ],
  [
    'TTL and time',
    'acl.token.expiration-invalid',
    { ExpirationTTL: 3600 * SECOND_NS, ExpirationTime: '2026-01-01T01:00:00Z' },
    /cannot both be set/
  ],
  [
    'a time in the past',
    'acl.token.expiration-invalid',
    { ExpirationTime: '2025-12-31T23:59:59Z' },
    /cannot be before CreateTime/
  ],
  [
    'a TTL below the minimum',
    'acl.token.expiration-invalid',
    { ExpirationTTL: 59.999 * SECOND_NS },
    /cannot be less than 1m0s in the future/
  ],
  [
    'a TTL above the maximum',
    'acl.token.expiration-invalid',
    { ExpirationTTL: 86400.001 * SECOND_NS },
    /cannot be more than 24h0m0s/
  ],
  [
    'a time below the minimum',
    'acl.token.expiration-invalid',
    { ExpirationTime: '2026-01-01T00:00:59.999Z' },
    /less than 1m0s/
  ],
  [
    'a time above the maximum',
    'acl.token.expiration-invalid',
    { ExpirationTime: '2026-01-02T00:00:00.001Z' },
    /more than 24h0m0s/
  ],
  [
    'an unknown policy by name',
    'acl.link.unknown',
    { Policies: [{ Name: 'nope' }] },
    /No such ACL policy with name "nope"/
  ],
  [
    'an unknown policy by ID',
    'acl.link.unknown',
    { Policies: [{ ID: id(99) }] },
    /No such ACL policy with ID/
  ],
  ['a policy by nothing', 'acl.link.unknown', { Policies: [{}] }, /No such ACL policy/],
  ['an unknown role', 'acl.link.unknown', { Roles: [{ Name: 'nope' }] }, /No such ACL role with name "nope"/]
]
for (const [what, code, parts, text] of refused)
  test(`a token with ${what} is refused`, t =>
    world.when(tokenAggregate, create(parts)).refuses(t, code, text))

test('the limits of the expiration are themselves allowed', t => {
  t.is(made({ ExpirationTTL: 60 * SECOND_NS }).token.ExpirationTime, '2026-01-01T00:01:00Z')
  t.is(made({ ExpirationTTL: 86400 * SECOND_NS }).token.ExpirationTime, '2026-01-02T00:00:00Z')
})

test('an expiration time keeps the zone and precision that were given, and the zero time means none', t => {
  const text = '2026-01-01T02:30:00.500+01:00'
  t.is(made({ ExpirationTime: text }).token.ExpirationTime, text)
  t.is(made({ ExpirationTime: '0001-01-01T00:00:00Z' }).token.ExpirationTime, undefined)
})

test('creating a token reports the first broken rule: accessor, secret, auth method, expiration, links, identities, rules', t => {
  const all: Partial<TokenInput> = {
    AccessorID: 'x',
    SecretID: 'y',
    AuthMethod: 'a',
    ExpirationTTL: -1,
    Policies: [{ Name: 'nope' }],
    Roles: [{ Name: 'nope' }],
    ServiceIdentities: [{ ServiceName: '', Datacenters: [] }],
    NodeIdentities: [{ NodeName: '', Datacenter: '' }],
    Rules: 'x'
  }
  const right: Partial<TokenInput>[] = [
    { AccessorID: '' },
    { SecretID: '' },
    { AuthMethod: '' },
    { ExpirationTTL: 0 },
    { Policies: [] },
    { Roles: [] },
    { ServiceIdentities: [] },
    { NodeIdentities: [] }
  ]
  const expected: readonly (readonly [RefusalCode, RegExp])[] = [
    ['acl.token.invalid', /AccessorID/],
    ['acl.token.invalid', /SecretID/],
    ['acl.token.invalid', /AuthMethod/],
    ['acl.token.expiration-invalid', /TTL/],
    ['acl.link.unknown', /policy/],
    ['acl.link.unknown', /role/],
    ['acl.grant.invalid', /Service identity/],
    ['acl.grant.invalid', /Node id/],
    ['acl.token.invalid', /Rules/]
  ]
  let parts = all
  for (const [i, [code, text]] of expected.entries()) {
    world.when(tokenAggregate, create(parts)).refuses(t, code, text)
    parts = { ...parts, ...right[i] }
  }
})

test('links are stored by ID, in the order given, each target once', t => {
  const { token, event } = made({
    Policies: [{ Name: 'BATCH' }, { ID: id(11), Name: 'wrong' }, { ID: id(12) }, { Name: 'web' }]
  })
  t.deepEqual(token.Policies, [
    { ID: id(12), Name: 'Batch' },
    { ID: id(11), Name: 'web' }
  ])
  t.deepEqual(event.FilterKeys, [id(12), id(11)])
})

test('equal content has an equal hash, and each part of the content changes it', t => {
  t.is(hashOf({ AccessorID: id(7) }), hashOf({ SecretID: id(8), ExpirationTTL: 60 * SECOND_NS }))
  const parts: Partial<TokenInput>[] = [
    {},
    { Description: 'a' },
    { Local: true },
    { Policies: [{ Name: 'web' }, { Name: 'batch' }] },
    { Policies: [{ Name: 'batch' }, { Name: 'web' }] },
    { ServiceIdentities: [{ ServiceName: 'a', Datacenters: [] }] },
    { ServiceIdentities: [{ ServiceName: 'a', Datacenters: ['dc1'] }] },
    { NodeIdentities: [{ NodeName: 'a', Datacenter: 'dc1' }] }
  ]
  t.is(new Set(parts.map(hashOf)).size, parts.length)
})
