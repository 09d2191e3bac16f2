// Long rule texts are parsed in parts, which must mean the same as the whole text.
import test from 'ava'
import fc from 'fast-check'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { examineRules } from '../../../../projections/acl/rules/examine-rules.js'
import { RuleError } from '../../../../projections/acl/rules/model.js'
import { parseRules } from '../../../../projections/acl/rules/parse.js'
import { parseRulesCached, prepareRules } from '../../../../projections/acl/rules/parsed-rules.js'
import { printRules } from '../../../../projections/acl/rules/print.js'
import { documentInSteps, parseDocument, STEP_LENGTH } from '../../../../projections/acl/rules/syntax.js'
import type { Document } from '../../../../projections/acl/rules/tree.js'
import { validateRules } from '../../../../projections/acl/rules/validate.js'
import { runAtOnce } from '../../../../projections/steps.js'
import { runs } from '../../../support/property-runs.js'

/** So many lines are several parts. */
const LINES = 600

const line = fc.constantFrom(
  'key_prefix "config/of/some/application/" { policy = "read" }',
  'service "web" {\n  policy = "write"\n  intentions = "read"\n}',
  'namespace "team" {\nkey "a" { policy = "read" }\n}',
  '# { a comment } ',
  '"session" "quoted" { policy = "read" } // }'
)
/** What changes the meaning of the lines after it. */
const turn = fc.constantFrom(
  'operator = "read"',
  'operator = ""',
  'acl = # }',
  'acl =',
  'key "a"',
  '/* }',
  '*/',
  'note = <<E\n}',
  'E',
  '"',
  '${',
  'namespace "x" {',
  '}',
  'list = [',
  ']',
  ',',
  'key "b" { policy = "rad" }'
)

const longText = fc
  .record({
    lines: fc.array(line, { minLength: 5, maxLength: 20 }),
    turns: fc.array(fc.tuple(fc.nat(LINES), turn), { maxLength: 4 })
  })
  .map(({ lines, turns }) => {
    const text: string[] = Array.from({ length: LINES }, (_, n) => lines[n % lines.length] ?? '')
    for (const [at, one] of turns) text.splice(at, 0, one)
    return text.join('\n')
  })

const errorOf = (parse: () => unknown): RuleError | undefined => {
  try {
    parse()
    return undefined
  } catch (error) {
    if (error instanceof RuleError) return error
    throw error
  }
}

const rulesOfLength = (length: number): string => 'acl = "read"'.padEnd(length)

const placeOf = ({ message, line: at, column }: RuleError): string => `${at}:${column} ${message}`

/** The items of a document, and its text with all comments. */
const contentOf = (document: Document) => ({ items: document.items, text: printRules(document) })

test('a long text means the same in parts and as a whole, and has the same first error', t => {
  fc.assert(
    fc.property(longText, text => {
      const syntaxError = errorOf(() => parseDocument(text))
      const error = errorOf(() => parseRules(text))
      const { rules, errors } = examineRules(text)
      if (syntaxError) t.is(error && placeOf(error), placeOf(syntaxError))
      else t.deepEqual(contentOf(runAtOnce(documentInSteps(text))), contentOf(parseDocument(text)))
      if (syntaxError) return
      if (errors.length === 0) t.deepEqual(parseRules(text), rules)
      else t.true(error && errors.map(placeOf).includes(placeOf(error)))
    }),
    { numRuns: runs(300) }
  )
})

test('a long text is parsed in many steps, whose result a decision finds', t => {
  const rule = 'key_prefix "config/of/some/application/" { policy = "read" }\n'
  const text = rule.repeat(2000)
  const steps = Array.from(prepareRules(text, DEFAULT_TENANCY) ?? [])
  t.true(steps.length > text.length / 10_000, `${steps.length} steps`)
  const rules = parseRulesCached(text)
  t.is(rules.rules.length, 2000)
  t.is(prepareRules(text, DEFAULT_TENANCY), undefined)
  t.is(parseRulesCached(text), rules)
})

test('a long text is validated in many steps', t => {
  const text = 'key_prefix "config/of/some/application/" { policy = "read" }\n'.repeat(2000)
  const steps = Array.from(validateRules(text, DEFAULT_TENANCY))
  t.true(steps.length > text.length / 10_000, `${steps.length} steps`)
})

test('a short text is not prepared', t => {
  t.is(prepareRules(rulesOfLength(STEP_LENGTH), DEFAULT_TENANCY), undefined)
  t.not(prepareRules(rulesOfLength(STEP_LENGTH + 1), DEFAULT_TENANCY), undefined)
})

test('a decision finds the error of a text that was parsed in steps', t => {
  const text = `${'acl = "read"\n'.repeat(2000)}acl = "rad"`
  t.is(Array.from(prepareRules(text, DEFAULT_TENANCY) ?? []).length > 1, true)
  const first = errorOf(() => parseRulesCached(text))
  t.is(first?.line, 2001)
  t.is(
    errorOf(() => parseRulesCached(text)),
    first
  )
})

for (const end of ['acl = # }', 'list = [1, # }', 'note = <<E\n}', '/* }', '"${ }', 'namespace "x" { # }'])
  test(`a part ends in the middle of an item: ${end}`, t => {
    // Only the last line before the next item has a brace, at which a part can end.
    const text = `${'# no brace\n'.repeat(1000)}${end}\nkey "b" { policy = "read" }\n`
    const whole = errorOf(() => parseDocument(text))
    const error = errorOf(() => parseRules(text))
    t.is(error && placeOf(error), whole && placeOf(whole))
    t.not(error, undefined)
  })
