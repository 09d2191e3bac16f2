import test from 'ava'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { BindingRuleRow } from '../../../projections/acl/binding-rules.js'

const row = (Selector: string) =>
  new BindingRuleRow(
    {
      ID: '5ec51e41-9583-2bf5-eed4-3bfcbffede4f',
      Description: '',
      AuthMethod: 'm',
      Selector,
      BindType: 'service',
      BindName: 'web',
      CreateIndex: 1,
      ModifyIndex: 1
    },
    DEFAULT_TENANCY
  )

const identity = (team: string) => ({ selectable: { value: { team }, list: {} }, variables: new Map() })

test('a selector that cannot be evaluated selects no identity, even if it is negated', t => {
  const negated = row('value.team not matches "^(a|b)*x$"')
  t.true(negated.selects(identity('ab'), 'jwt'))
  t.false(negated.selects(identity('ab'.repeat(20_000)), 'jwt'))
  t.false(row('value.team matches "("').selects(identity('ab'), 'jwt'))
})
