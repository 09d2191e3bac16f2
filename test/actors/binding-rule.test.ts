// Decisions on binding rules (spec: auth.md §5).
import test from 'ava'
import type { BindingRuleInput } from '../../events/binding-rule.js'
import { bindingRuleAggregate } from '../../actors/binding-rule.js'
import { command, given } from '../support/decision-spec.js'
import { authMethodFixture, bindingRuleFixture } from './login/login-resources.js'
import { id } from './acl-resources.js'

const inputOf = (parts: Partial<BindingRuleInput> = {}): BindingRuleInput => ({
  Description: '',
  AuthMethod: 'm',
  Selector: '',
  BindType: 'service',
  BindName: 'web',
  ...parts
})
const create = (parts: Partial<BindingRuleInput> = {}) =>
  command('CreateBindingRule', { ...inputOf(parts), newId: id(1) })
const update = (parts: Partial<BindingRuleInput> = {}, rule = id(1)) =>
  command('UpdateBindingRule', { ...inputOf(parts), id: rule })

test('a rule is made for a method that exists, in whatever letter case', t => {
  given(authMethodFixture('m'))
    .when(bindingRuleAggregate, create({ AuthMethod: 'M' }))
    .gives(t, [`ACLBindingRuleUpserted ${id(1)}`, { ACLBindingRule: { AuthMethod: 'M', CreateIndex: 2 } }])
})

for (const [what, parts, text] of [
  ['no method', { AuthMethod: '' }, /no AuthMethod is set/],
  ['a bad selector', { Selector: 'value.team' }, /Selector is invalid/],
  ['an unknown field', { Selector: 'other.team == a' }, /Selector "other.team" is not valid/],
  ['no type', { BindType: '' }, /no BindType is set/],
  ['an unknown type', { BindType: 'Service' }, /unknown BindType "Service"/],
  ['no name', { BindName: '' }, /no BindName is set/],
  ['a bad name', { BindName: 'Web' }, /invalid BindName/],
  ['a name that is too long', { BindName: 'x'.repeat(257) }, /invalid BindName/],
  ['an unmapped variable', { BindName: '${value.other}' }, /unknown variable accessed: value.other/],
  ['a template that gives a bad name', { BindName: '${value.team}_' }, /invalid BindName/]
] as const)
  test(`a rule with ${what} is refused`, t => {
    given(authMethodFixture('m'))
      .when(bindingRuleAggregate, create(parts))
      .refuses(t, 'acl.binding-rule.invalid', text)
  })

test('a rule for a method whose stored Config is no longer valid is refused', t => {
  given(authMethodFixture('m', { Config: {} }))
    .when(bindingRuleAggregate, create())
    .refuses(t, 'acl.auth-method.invalid', /auth method validator for "m" could not be initialized: exactly/)
})

test('a rule with an unknown method is refused', t => {
  given(authMethodFixture('m'))
    .when(bindingRuleAggregate, create({ AuthMethod: 'x' }))
    .refuses(t, 'acl.auth-method.unknown', /cannot find auth method with name "x"/)
})

test('roles may have names of both cases', t => {
  given(authMethodFixture('m'))
    .when(bindingRuleAggregate, create({ BindType: 'role', BindName: '-Some_Role-${value.team}' }))
    .gives(t, [
      `ACLBindingRuleUpserted ${id(1)}`,
      { ACLBindingRule: { BindType: 'role', BindName: '-Some_Role-${value.team}' } }
    ])
})

test('an update replaces everything but the method', t => {
  given(authMethodFixture('m'), bindingRuleFixture(1))
    .when(bindingRuleAggregate, update({ AuthMethod: '', BindName: 'new', Selector: 'value.team == a' }))
    .gives(t, [
      `ACLBindingRuleUpserted ${id(1)}`,
      {
        ACLBindingRule: {
          AuthMethod: 'm',
          BindName: 'new',
          Selector: 'value.team == a',
          CreateIndex: 1,
          ModifyIndex: 3
        }
      }
    ])
  given(authMethodFixture('m'), bindingRuleFixture(1))
    .when(bindingRuleAggregate, update({ AuthMethod: 'M' }))
    .refuses(t, 'acl.binding-rule.invalid', /immutable/)
  given(authMethodFixture('m'))
    .when(bindingRuleAggregate, update())
    .refuses(t, 'acl.binding-rule.unknown', /cannot find binding rule/)
  given().when(bindingRuleAggregate, update({}, 'x')).refuses(t, 'acl.binding-rule.invalid', /UUID/)
})

test('a rule is deleted once', t => {
  const remove = command('DeleteBindingRule', { id: id(1).toUpperCase() })
  given(authMethodFixture('m'), bindingRuleFixture(1))
    .when(bindingRuleAggregate, remove)
    .gives(t, [`ACLBindingRuleDeleted ${id(1)}`, { ACLBindingRule: { AuthMethod: 'm' } }])
  given().when(bindingRuleAggregate, remove).gives(t)
})
