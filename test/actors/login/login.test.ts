// Decisions on logins (spec: auth.md §8).
import test from 'ava'
import { namespaceUpserted } from '../../../actors/namespace.js'
import { describe, loginAggregate } from '../../../actors/login/login.js'
import { LoginDenied } from '../../../actors/refusal.js'
import type { Event } from '../../../events/envelope.js'
import { isTokenEvent, type Token } from '../../../events/token.js'
import { COMMAND_TIME, command, given } from '../../support/decision-spec.js'
import { roleFixture, id, NEW_ACCESSOR, NEW_SECRET } from '../acl-resources.js'
import { authMethodFixture, bindingRuleFixture, identityOfTeam } from './login-resources.js'

const login = (team = 'Shop', methodIndex = 1) =>
  command('Login', {
    method: 'M',
    methodIndex,
    identity: identityOfTeam(team),
    description: 'token created via login',
    newAccessor: NEW_ACCESSOR,
    newSecret: NEW_SECRET
  })

const tokenOf = ({ events }: { readonly events: () => readonly Event[] }): Token => {
  const [event] = events()
  if (!event || !isTokenEvent(event)) throw new Error('no token was made')
  return event.Payload.ACLToken
}

test('a login merges the grants of all matching rules, without duplicates and with sorted identities', t => {
  const outcome = given(
    authMethodFixture('m', { MaxTokenTTL: 60e9 }),
    roleFixture(id(1), 'Admins'),
    bindingRuleFixture(2, { BindName: 'zz' }),
    bindingRuleFixture(3, { BindName: 'x-${value.team}' }),
    bindingRuleFixture(4, { BindName: 'zz' }),
    bindingRuleFixture(5, { BindName: 'never', Selector: 'value.team == other' }),
    bindingRuleFixture(6, { BindType: 'node', BindName: 'n1' }),
    bindingRuleFixture(7, { BindType: 'role', BindName: 'ADMINS' }),
    bindingRuleFixture(8, { BindType: 'role', BindName: 'admins' }),
    bindingRuleFixture(9, { BindType: 'role', BindName: 'gone' })
  ).when(loginAggregate, login())
  outcome.gives(t, `ACLTokenUpserted ${NEW_ACCESSOR}`)
  t.like(tokenOf(outcome), {
    Policies: [],
    Roles: [{ ID: id(1), Name: 'Admins' }],
    ServiceIdentities: [{ ServiceName: 'x-shop' }, { ServiceName: 'zz' }],
    NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
    Local: true,
    AuthMethod: 'm',
    ExpirationTime: new Date(COMMAND_TIME + 60_000).toISOString().replace('.000Z', 'Z')
  })
})

test('a namespace rule names the namespace of the token in any letter case', t => {
  const outcome = given(
    namespaceUpserted('default', { Name: 'team', Description: '', Meta: {}, CreateIndex: 1, ModifyIndex: 1 }),
    authMethodFixture('m', { NamespaceRules: [{ Selector: '', BindNamespace: 'TEAM' }] }),
    bindingRuleFixture(2, { BindName: 'web' })
  ).when(loginAggregate, login())
  t.is(outcome.events()[0]?.Namespace, 'team')
})

test('a namespace rule that computes no name of a namespace denies the login, the wildcard among them', t => {
  for (const team of ['*', 'a b', 'a/b', '', '-', 'x'.repeat(64)]) {
    const outcome = given(
      authMethodFixture('m', { NamespaceRules: [{ Selector: '', BindNamespace: '${value.team}' }] }),
      bindingRuleFixture(2)
    ).when(loginAggregate, login(team))
    const error = t.throws(() => outcome.events(), { instanceOf: LoginDenied })
    t.regex(error?.reason ?? '', /no name of a namespace/, team)
  }
})

test('without anything to give there is no token', t => {
  const denied = (...history: readonly Event[]) =>
    given(authMethodFixture('m'), ...history)
      .when(loginAggregate, login())
      .refuses(t, 'acl.login.denied', 'Permission denied')
  denied()
  denied(bindingRuleFixture(2, { Selector: 'value.team == other' }))
  denied(bindingRuleFixture(2, { BindType: 'role', BindName: 'gone' }))
  denied(bindingRuleFixture(2, { Selector: 'not (a selector' }))
})

test('one rule that computes no name ends the login, and the reason is kept for the log', t => {
  const outcome = given(
    authMethodFixture('m'),
    bindingRuleFixture(2),
    bindingRuleFixture(3, { BindName: '${value.team}' })
  ).when(loginAggregate, login('a b'))
  const error = t.throws(() => outcome.events(), { instanceOf: LoginDenied })
  t.is(error?.message, 'Permission denied')
  t.regex(error?.reason ?? '', /computed "service" bind name for bind target is invalid: "a b"/)
})

test('a method that is gone, or was changed while the credential was verified, gives nothing', t => {
  given(bindingRuleFixture(2))
    .when(loginAggregate, login())
    .refuses(t, 'acl.auth-method.not-found', /auth method "M" not found/)
  const outcome = given(authMethodFixture('m', { ModifyIndex: 2 }), bindingRuleFixture(2)).when(
    loginAggregate,
    login('a', 1)
  )
  const error = t.throws(() => outcome.events(), { instanceOf: LoginDenied })
  t.regex(error?.reason ?? '', /was changed/)
})

test('global methods make global tokens', t => {
  const outcome = given(authMethodFixture('m', { TokenLocality: 'global' }), bindingRuleFixture(2)).when(
    loginAggregate,
    login()
  )
  t.false(tokenOf(outcome).Local)
})

test('Meta stands in the description as JSON with sorted keys', t => {
  t.is(describe('done', {}), 'done')
  t.is(describe('done', { b: '1', a: '<&>\u2028' }), 'done: {"a":"\\u003c\\u0026\\u003e\\u2028","b":"1"}')
})
