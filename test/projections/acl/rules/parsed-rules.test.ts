// Parsed texts are shared.
import test from 'ava'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { parseRules } from '../../../../projections/acl/rules/parse.js'
import { parseRulesCached } from '../../../../projections/acl/rules/parsed-rules.js'
import { RuleError } from '../../../../projections/acl/rules/model.js'

test('a text is parsed once for each tenancy', t => {
  const text = 'acl = "read" namespace "x" { acl = "write" }'
  const rules = parseRulesCached(text)
  t.deepEqual(rules, parseRules(text))
  t.is(parseRulesCached(text, DEFAULT_TENANCY), rules)
  t.throws(() => parseRulesCached(text, { partition: 'default', namespace: 'team' }), {
    instanceOf: RuleError
  })
})

test('a long text is parsed once too', t => {
  const text = 'key_prefix "a/" { policy = "read" }\n'.repeat(10_000)
  const rules = parseRulesCached(text)
  t.is(rules.rules.length, 10_000)
  t.is(parseRulesCached(text), rules)
})

test('texts that were not used for long are forgotten', t => {
  const first = parseRulesCached('acl = "read" # first')
  for (let at = 0; at < 5000; at++) parseRulesCached(`# ${at}`)
  t.not(parseRulesCached('acl = "read" # first'), first)
})
