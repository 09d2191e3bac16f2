// Properties of every authorizer, first of all that it decides as the specification words it.
import test from 'ava'
import * as fc from 'fast-check'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { compileAuthorizer } from '../../../projections/acl/authorizer.js'
import { grants } from '../../../projections/acl/rule-index.js'
import {
  defaultPolicy,
  label,
  level,
  match,
  plainSet,
  question,
  resource,
  scopedRules,
  tenancy
} from './arbitraries.js'
import { referenceAllows, referenceAllowsAll } from './reference-evaluator.js'
import { runs } from '../../support/property-runs.js'

const sets = fc.array(scopedRules, { maxLength: 4 })
const many = { numRuns: runs(5000) }

test('it decides as the specification words it', t => {
  fc.assert(
    fc.property(
      sets,
      sets,
      defaultPolicy,
      fc.array(question, { minLength: 1, maxLength: 8 }),
      (own, more, fallback, asked) => {
        const authorizer = compileAuthorizer(own, fallback, more)
        return asked.every(one => authorizer.may(...one) === referenceAllows([own, more], fallback, one))
      }
    ),
    many
  )
  t.pass()
})

test('it decides on reading every resource as the specification says', t => {
  fc.assert(
    fc.property(sets, defaultPolicy, resource, tenancy, (own, fallback, asked, where) => {
      const authorizer = compileAuthorizer(own, fallback)
      return authorizer.mayAll(asked, 'read', where) === referenceAllowsAll([own], fallback, [asked, where])
    }),
    many
  )
  t.pass()
})

test('the reason always agrees with the decision', t => {
  fc.assert(
    fc.property(sets, defaultPolicy, question, (own, fallback, asked) => {
      const authorizer = compileAuthorizer(own, fallback)
      const { allowed, because } = authorizer.decide(...asked)
      if (allowed !== authorizer.may(...asked)) return false
      const [askedFor, access] = asked
      if (because.kind !== 'rule') return allowed === (fallback === 'allow' && askedFor !== 'acl')
      const { rule } = because
      if (askedFor === 'intention') return rule.resource === 'service'
      return rule.resource === askedFor && allowed === grants(rule.level, access)
    }),
    many
  )
  t.pass()
})

test('the order of the sets means nothing', t => {
  fc.assert(
    fc.property(sets, defaultPolicy, question, (own, fallback, asked) => {
      const forward = compileAuthorizer(own, fallback)
      return forward.may(...asked) === compileAuthorizer(own.toReversed(), fallback).may(...asked)
    }),
    many
  )
  t.pass()
})

test('a denial beats all other rules for the same label', t => {
  const denial = fc.record({ match, label })
  fc.assert(
    fc.property(
      fc.array(plainSet, { maxLength: 4 }),
      denial,
      defaultPolicy,
      ([...others], denied, fallback) => {
        const rule = {
          ...denied,
          resource: 'node',
          level: 'deny',
          intentions: null,
          line: 0,
          column: 0
        } as const
        const all = [...others, { rules: [rule], blocks: [], warnings: [] }]
        const authorizer = compileAuthorizer(
          all.map(rules => ({ rules, tenancy: DEFAULT_TENANCY })),
          fallback
        )
        const isExact = (name: string) =>
          others.some(({ rules }) =>
            rules.some(other => other.resource === 'node' && other.match === 'exact' && other.label === name)
          )
        if (denied.match === 'prefix' && isExact(denied.label)) return true
        return !authorizer.may('node', 'read', denied.label, DEFAULT_TENANCY)
      }
    ),
    many
  )
  t.pass()
})

test('rules for another resource never change a decision', t => {
  fc.assert(
    fc.property(
      sets,
      plainSet,
      tenancy,
      level,
      defaultPolicy,
      question,
      (own, added, where, more, fallback, asked) => {
        const [askedFor] = asked
        const kind = askedFor === 'intention' ? 'service' : askedFor
        const rules = added.rules
          .filter(rule => rule.resource !== kind)
          .map(rule => ({ ...rule, level: more }))
        const extended = compileAuthorizer([...own, { rules: { ...added, rules }, tenancy: where }], fallback)
        return extended.may(...asked) === compileAuthorizer(own, fallback).may(...asked)
      }
    ),
    many
  )
  t.pass()
})

test('compiling changes none of its inputs', t => {
  fc.assert(
    fc.property(sets, own => {
      const before = JSON.stringify(own)
      compileAuthorizer(own, 'deny')
      return JSON.stringify(own) === before
    })
  )
  t.pass()
})
