// Decisions on logins (spec: auth.md §8).
import test from 'ava'
import { describe, loginAggregate } from '../../../actors/login/login.js'
import { LoginDenied } from '../../../actors/login/login-denied.js'
import type { Event } from '../../../events/envelope.js'
import { isTokenEvent, type Token } from '../../../events/token.js'
import { AT, command, given } from '../../support/given.js'
import { aRole, id, NEW_ACCESSOR, NEW_SECRET } from '../things.js'
import { aMethod, aRule, ofTeam } from './things.js'

const login = (team = 'Shop', methodIndex = 1) =>
  command('Login', {
    method: 'M',
    methodIndex,
    identity: ofTeam(team),
    description: 'token created via login',
    newAccessor: NEW_ACCESSOR,
    newSecret: NEW_SECRET
  })

const tokenOf = ({ events }: { readonly events: () => readonly Event[] }): Token => {
  const [event] = events()
  if (!event || !isTokenEvent(event)) throw new Error('no token was made')
  return event.Payload.ACLToken
}

test('a login gives what the rules that select it give, each thing once, identities sorted', t => {
  const outcome = given(
    aMethod('m', { MaxTokenTTL: 60e9 }),
    aRole(id(1), 'Admins'),
    aRule(2, { BindName: 'zz' }),
    aRule(3, { BindName: 'x-${value.team}' }),
    aRule(4, { BindName: 'zz' }),
    aRule(5, { BindName: 'never', Selector: 'value.team == other' }),
    aRule(6, { BindType: 'node', BindName: 'n1' }),
    aRule(7, { BindType: 'role', BindName: 'ADMINS' }),
    aRule(8, { BindType: 'role', BindName: 'admins' }),
    aRule(9, { BindType: 'role', BindName: 'gone' })
  ).when(loginAggregate, login())
  outcome.gives(t, `ACLTokenUpserted ${NEW_ACCESSOR}`)
  t.like(tokenOf(outcome), {
    Policies: [],
    Roles: [{ ID: id(1), Name: 'Admins' }],
    ServiceIdentities: [{ ServiceName: 'x-shop' }, { ServiceName: 'zz' }],
    NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
    Local: true,
    AuthMethod: 'm',
    ExpirationTime: new Date(AT + 60_000).toISOString().replace('.000Z', 'Z')
  })
})

test('without anything to give there is no token', t => {
  const denied = (...history: readonly Event[]) =>
    given(aMethod('m'), ...history)
      .when(loginAggregate, login())
      .refuses(t, 'denied', 'Permission denied')
  denied()
  denied(aRule(2, { Selector: 'value.team == other' }))
  denied(aRule(2, { BindType: 'role', BindName: 'gone' }))
  denied(aRule(2, { Selector: 'not (a selector' }))
})

test('one rule that computes no name ends the login, and the reason is kept for the log', t => {
  const outcome = given(aMethod('m'), aRule(2), aRule(3, { BindName: '${value.team}' })).when(
    loginAggregate,
    login('a b')
  )
  const error = t.throws(() => outcome.events(), { instanceOf: LoginDenied })
  t.is(error?.message, 'Permission denied')
  t.regex(error?.reason ?? '', /computed "service" bind name for bind target is invalid: "a b"/)
})

test('a method that is gone, or was changed while the credential was verified, gives nothing', t => {
  given(aRule(2))
    .when(loginAggregate, login())
    .refuses(t, 'denied', /auth method "M" not found/)
  const outcome = given(aMethod('m', { ModifyIndex: 2 }), aRule(2)).when(loginAggregate, login('a', 1))
  const error = t.throws(() => outcome.events(), { instanceOf: LoginDenied })
  t.regex(error?.reason ?? '', /was changed/)
})

test('global methods make global tokens', t => {
  const outcome = given(aMethod('m', { TokenLocality: 'global' }), aRule(2)).when(loginAggregate, login())
  t.false(tokenOf(outcome).Local)
})

test('Meta stands in the description as JSON with sorted keys', t => {
  t.is(describe('done', {}), 'done')
  t.is(describe('done', { b: '1', a: '<&>\u2028' }), 'done: {"a":"\\u003c\\u0026\\u003e\\u2028","b":"1"}')
})
