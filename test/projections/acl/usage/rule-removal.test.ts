// Rules that repeat others.
import test from 'ava'
import { compileAuthorizer } from '../../../../projections/acl/authorizer.js'
import { parseRules } from '../../../../projections/acl/rules/parse.js'
import { overlapOf, placedRules } from '../../../../projections/acl/usage/rule-removal.js'
import { ruleName, type Level } from '../../../../projections/acl/rules/model.js'

const HOME = { partition: 'default', namespace: 'default' }

const overlapsIn = (text: string) => {
  const authorizer = compileAuthorizer(
    [{ rules: parseRules(text, HOME), tenancy: HOME, source: 'policy p' }],
    'deny'
  )
  return placedRules(authorizer).map(placed => {
    const overlap = overlapOf(placed, authorizer)
    return overlap && ruleName(overlap.rule)
  })
}

test('a rule is repeated by the one that decides all its names, trees and lists alike', t => {
  for (const [text, expected] of [
    ['key_prefix "" { policy = "read" } key "a" { policy = "read" }', [undefined, 'key_prefix ""']],
    ['key_prefix "" { policy = "write" } key "a" { policy = "read" }', [undefined, undefined]],
    ['key "a" { policy = "deny" }', [undefined]],
    [
      'key_prefix "" { policy = "write" } key_prefix "a/" { policy = "write" } key "a/b" { policy = "read" }',
      [undefined, 'key_prefix ""', undefined]
    ],
    [
      'service_prefix "" { policy = "read" } service "a" { policy = "read" intentions = "write" }',
      [undefined, undefined]
    ],
    [
      'namespace "team" { key "a" { policy = "read" } } namespace_prefix "" { key "a" { policy = "read" } }',
      ['key "a"', undefined]
    ]
  ] as const)
    t.deepEqual(overlapsIn(text), [...expected], text)
})

test('a rule that decides some name alone is compared with the rules above it only', t => {
  const text = Array.from({ length: 500 }, (_, number) => `key "a${number}" { policy = "read" }`).join('\n')
  let reads = 0
  const rules = parseRules(text, HOME)
  const watched = rules.rules.map(rule =>
    Object.defineProperty({ ...rule }, 'level', {
      get: (): Level => {
        reads++
        return rule.level
      }
    })
  )
  const sets = [{ rules: { ...rules, rules: watched }, tenancy: HOME, source: 'policy p' }]
  const authorizer = compileAuthorizer(sets, 'deny')
  const [first] = placedRules(authorizer)
  if (!first) return t.fail()
  reads = 0
  t.is(overlapOf(first, authorizer), undefined)
  t.true(reads < 50, `${reads} reads of levels`)
})
