// Decisions on auth methods (spec: auth.md §1.3, §1.4; decisions.md 16, 18).
import test from 'ava'
import { generateKeyPairSync } from 'node:crypto'
import { eventsOf } from '../../../actors/aggregate.js'
import { authMethodAggregate } from '../../../actors/auth-method/auth-method.js'
import { isAuthMethodEvent, type AuthMethodInput } from '../../../events/auth-method.js'
import { command, given, settingsOfTests, viewsAfter } from '../../support/decision-spec.js'
import { tokenFixture, id } from '../acl-resources.js'
import { authMethodFixture, bindingRuleFixture, PUBLIC_KEY } from '../login/login-resources.js'

const MINUTE = 60e9
const SHORT_RSA_KEY = generateKeyPairSync('rsa', {
  modulusLength: 1024,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
}).publicKey
const put = (
  parts: Partial<AuthMethodInput> = {},
  tenancy = { partition: 'default', namespace: 'default' }
) =>
  command(
    'PutAuthMethod',
    {
      Name: 'm',
      Type: 'jwt',
      DisplayName: '',
      Description: '',
      MaxTokenTTL: 0,
      TokenLocality: '',
      Config: { JWTValidationPubKeys: [PUBLIC_KEY] },
      NamespaceRules: [],
      ...parts
    },
    { tenancy }
  )
const remove = (name: string) => command('DeleteAuthMethod', { name })

test('a method is made, and replaced by its name in any letter case', t => {
  given().when(authMethodAggregate, put()).gives(t, 'ACLAuthMethodUpserted m')
  const renamed = given(authMethodFixture('m')).when(authMethodAggregate, put({ Name: 'M', Type: '' }))
  renamed.gives(t, 'ACLAuthMethodDeleted m', 'ACLAuthMethodUpserted M')
  const event = renamed.events().at(-1)
  t.true(event && isAuthMethodEvent(event))
  if (event && isAuthMethodEvent(event))
    t.like(event.Payload.AuthMethod, { Name: 'M', Type: 'jwt', CreateIndex: 1, ModifyIndex: 2 })
})

for (const [what, parts, text] of [
  ['no name', { Name: '' }, /no Name is set/],
  ['a bad name', { Name: 'a b' }, /invalid Name/],
  ['an unknown type', { Type: 'JWT' }, /Type should be one of/],
  ['a short TTL', { MaxTokenTTL: MINUTE - 1 }, /cannot be less than 1m0s/],
  ['a long TTL', { MaxTokenTTL: 1441 * MINUTE }, /cannot be more than 24h0m0s/],
  ['a negative TTL', { MaxTokenTTL: -1 }, /cannot be less/],
  ['an unknown locality', { TokenLocality: 'LOCAL' }, /TokenLocality should be one of/],
  ['no keys', { Config: {} }, /exactly one of 'JWTValidationPubKeys'/],
  [
    'a private key',
    { Config: { JWTValidationPubKeys: ['-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----'] } },
    /JWTValidationPubKeys\[0\]/
  ],
  ['a short RSA key', { Config: { JWTValidationPubKeys: [SHORT_RSA_KEY] } }, /at least 2048 bits/],
  [
    'a bad namespace rule',
    { NamespaceRules: [{ Selector: 'x', BindNamespace: 'a' }] },
    /NamespaceRules\[0\]/
  ],
  [
    'a namespace rule for no namespace',
    { NamespaceRules: [{ Selector: '', BindNamespace: '' }] },
    /no BindNamespace/
  ],
  [
    'a namespace rule for all namespaces',
    { NamespaceRules: [{ Selector: '', BindNamespace: '*' }] },
    /NamespaceRules\[0\]: invalid BindNamespace: "\*" must be a DNS label/
  ],
  [
    'a namespace rule with a broken template',
    { NamespaceRules: [{ Selector: '', BindNamespace: 'ns-${value.team' }] },
    /NamespaceRules\[0\]: invalid BindNamespace: parse error/
  ],
  [
    'a namespace rule with an unmapped variable',
    { NamespaceRules: [{ Selector: '', BindNamespace: '${value.other}' }] },
    /unknown variable accessed: value.other/
  ]
] as const)
  test(`a method with ${what} is refused`, t => {
    given().when(authMethodAggregate, put(parts)).refuses(t, 'acl.auth-method.invalid', text)
  })

test('a type is never changed', t => {
  given(authMethodFixture('m'))
    .when(authMethodAggregate, put({ Type: 'kubernetes' }))
    .refuses(t, 'acl.auth-method.invalid', /immutable/)
})

test('namespace rules are of methods in the default namespace', t => {
  given()
    .when(
      authMethodAggregate,
      put(
        { NamespaceRules: [{ Selector: '', BindNamespace: 'x' }] },
        { partition: 'default', namespace: 'ns1' }
      )
    )
    .refuses(t, 'acl.auth-method.invalid', /only in the namespace "default"/)
})

const oidcConfig = (OIDCClientSecret: string | number) => ({
  OIDCDiscoveryURL: 'http://127.0.0.1:1',
  OIDCClientID: 'c',
  OIDCClientSecret,
  AllowedRedirectURIs: ['http://localhost/cb']
})

test('secrets travel apart, and one that comes back hidden stays', t => {
  const config = oidcConfig('the secret')
  const parts = { Type: 'oidc', MaxTokenTTL: MINUTE } as const
  const again = given(authMethodFixture('m', { ...parts, Config: config }))
    .when(authMethodAggregate, put({ ...parts, Config: { ...config, OIDCClientSecret: '<hidden>' } }))
    .events()
  t.notRegex(JSON.stringify(again.map(event => event.Payload)), /the secret/)
  t.deepEqual(again[0]?.Secrets, { OIDCClientSecret: 'the secret' })
})

test('a hidden secret is refused where none is stored', t => {
  const Config = oidcConfig('<hidden>')
  given()
    .when(authMethodAggregate, put({ Type: 'oidc', MaxTokenTTL: MINUTE, Config }))
    .refuses(
      t,
      'acl.auth-method.invalid',
      /field "Config\.OIDCClientSecret" is "<hidden>" and no value is stored/
    )
})

test('a secret that is a number travels apart, too', t => {
  const Config = oidcConfig(20_260_131)
  const [event] = given()
    .when(authMethodAggregate, put({ Type: 'oidc', MaxTokenTTL: MINUTE, Config }))
    .events()
  t.notRegex(JSON.stringify(event?.Payload), /20260131/)
  t.deepEqual(event?.Secrets, { OIDCClientSecret: '20260131' })
})

test('a method goes with everything that it has made, in one commit, itself last', t => {
  given(
    authMethodFixture('m', { TokenLocality: 'global' }),
    authMethodFixture('other'),
    bindingRuleFixture(1),
    bindingRuleFixture(2, { AuthMethod: 'M' }),
    bindingRuleFixture(3, { AuthMethod: 'other' }),
    tokenFixture(id(4), id(5), { AuthMethod: 'm', Local: true }),
    tokenFixture(id(6), id(7), { AuthMethod: 'M' }),
    tokenFixture(id(8), id(9), { AuthMethod: 'other' })
  )
    .when(authMethodAggregate, remove('M'))
    .gives(
      t,
      `ACLTokenDeleted ${id(4)}`,
      `ACLTokenDeleted ${id(6)}`,
      `ACLBindingRuleDeleted ${id(1)}`,
      `ACLBindingRuleDeleted ${id(2)}`,
      'ACLAuthMethodDeleted m'
    )
  given().when(authMethodAggregate, remove('m')).gives(t)
})

test('in a secondary datacenter a method leaves the global tokens of the primary’s method of its name', t => {
  const history = [
    authMethodFixture('m'),
    tokenFixture(id(4), id(5), { AuthMethod: 'm', Local: true }),
    tokenFixture(id(6), id(7), { AuthMethod: 'm', Local: false })
  ]
  const views = viewsAfter(history, { ...settingsOfTests, isPrimary: false })
  const events = eventsOf(authMethodAggregate.decide(remove('m'), views, views.index + 1))
  t.deepEqual(
    events.map(({ Type, Key }) => `${Type} ${Key}`),
    [`ACLTokenDeleted ${id(4)}`, 'ACLAuthMethodDeleted m']
  )
})
