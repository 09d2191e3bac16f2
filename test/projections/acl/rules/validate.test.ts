// The dry check of rule texts: it tells all faults, and never disagrees with the parser.
import test from 'ava'
import fc from 'fast-check'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { parseRules } from '../../../../projections/acl/rules/parse.js'
import { RuleError } from '../../../../projections/acl/rules/model.js'
import { validateRules } from '../../../../projections/acl/rules/validate.js'
import { runAtOnce } from '../../../../projections/steps.js'
import { growth } from '../../../support/cost.js'
import { runs } from '../../../support/property-runs.js'

const validated = (text: string) => runAtOnce(validateRules(text, DEFAULT_TENANCY))

const faults = (text: string): readonly string[] =>
  validated(text).Errors.map(({ Line, Column, Message }) => `${Line}:${Column} ${Message}`)

/** Texts with all that is wrong with them, as `line:column message`. */
const cases: readonly (readonly [title: string, text: string, faults: readonly RegExp[]])[] = [
  [
    'every level that does not exist',
    'acl = "rad"\nkey "a" { policy = "red" }\nservice "b" { policy = "list" intentions = "no" }',
    [/^1:7 .*"rad"/, /^2:20 .*"red" of key "a"/, /^3:24 .*"list" of service "b"/, /^3:44 .*intentions.*"no"/]
  ],
  [
    'every wrong shape',
    'service "c" "d" { }\nnode "n" { }\noperator { policy = "read" }\nkey "k" { policy = [] }',
    [/^1:13 .*second label/, /^2:6 .*no policy/, /^3:10 .*not an object/, /^4:20 .*not a list/]
  ],
  [
    'each label of one rule',
    'service { "a" { policy = "x" } "b" "c" { } "d" { policy = "y" } "e" { policy = "read" } }',
    [/^1:26 .*"x"/, /^1:36 .*second label/, /^1:59 .*"y"/]
  ],
  [
    'what stands in the wrong place, and what is wrong inside of blocks',
    'namespace "team" {\n  operator = "read"\n  key "a" { policy = "x" }\n  namespace "b" { }\n}\npartition "p" { policy = "read" }',
    [
      /^2:3 .*allowed only for namespace "default"/,
      /^3:22 .*"x"/,
      /^4:3 .*may not stand/,
      /^6:17 .*only in a namespace/
    ]
  ],
  [
    'faults before and after what cannot be read',
    'acl = "x"\nservice "a" {\n  policy = "read\n}\nkey "b" { policy = "y" }\n',
    [/^1:7 .*"x"/, /^3:17 .*string not terminated/, /^5:20 .*"y"/]
  ],
  [
    'several places that cannot be read',
    'acl = @\nnode "a" { policy = "x" }\nkey "k" { policy = }\nevent "e" { policy = "z" }',
    [/^1:7 .*found "@"/, /^2:21 .*"x"/, /^3:20 .*found "}"/, /^4:22 .*"z"/]
  ],
  [
    'what follows a block that is not closed',
    'service "a" {\n  policy = "read"\nkey "b" { policy = "y" }',
    [/^3:20 .*"y"/, /^3:25 .*found end of text/]
  ],
  [
    'a brace too many as nothing but that',
    'acl = "read"\n}\nkey "k" { policy = "read" }',
    [/^2:1 .*found "}"/]
  ],
  [
    'all of a JSON text',
    '{"acl": "x", "key": {"a": {"policy": "y"}, "b": "read", "c": {"policy": "read"}}}',
    [/^1:9 .*"x"/, /^1:38 .*"y"/, /^1:44 .*"b" has no policy/]
  ],
  ['one place where a text is not JSON', '{"acl": }', [/^1:9 /]]
]

for (const [title, text, expected] of cases)
  test(`tells ${title}`, t => {
    const found = faults(text)
    t.is(found.length, expected.length, found.join('\n'))
    for (const [i, pattern] of expected.entries()) t.regex(found[i] ?? '', pattern)
  })

test('valid rules are reported with the errors', t => {
  const { Valid, Rules } = validated(
    'acl = "x"\nkey "a" { policy = "read" }\n!\nnode "n" { policy = "deny" }'
  )
  t.false(Valid)
  t.deepEqual(
    Rules.map(({ Text, Line }) => [Text, Line]),
    [
      ['key "a"', 2],
      ['node "n"', 4]
    ]
  )
})

const piece = fc.constantFrom(
  'acl = "read"',
  'acl = "rad"',
  'key "a" { policy = "list" }',
  'service "a" { policy = "x" intentions = "y" }',
  'service "a" { policy = "write" }',
  'namespace "n" {',
  'namespace_prefix "n" {}',
  'partition "p" { namespace "n" { policy = "read" } }',
  'operator { }',
  'node "a" "b" {}',
  'query_prefix "" { policy = "read"',
  'foo = 1',
  '}',
  '"',
  '@',
  '<<X',
  '# comment',
  '[1, 2'
)
const text = fc
  .array(fc.tuple(piece, fc.constantFrom('\n', '\n', ' ')), { maxLength: 12 })
  .map(pieces => pieces.flat().join(''))

test('a text is valid exactly if a policy may have it, and the errors include the first one of the parser', t => {
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), some => {
      const { Valid, Rules, Errors } = validated(some)
      t.is(Valid, Errors.length === 0)
      try {
        const { rules, blocks } = parseRules(some)
        t.true(Valid, some)
        t.is(Rules.length, rules.length + blocks.flatMap(block => block.rules).length)
      } catch (error) {
        if (!(error instanceof RuleError)) throw error
        const { message, line, column } = error
        t.true(
          Errors.some(one => one.Message === message && one.Line === line && one.Column === column),
          `${message} is not among ${JSON.stringify(Errors)}`
        )
      }
      const places = Errors.map(({ Line, Column, Message }) => `${Line}:${Column} ${Message}`)
      t.is(new Set(places).size, places.length)
    }),
    { numRuns: runs(2000) }
  )
})

test('a long text full of faults takes time in proportion to its length', t => {
  for (const fault of ['key "a" {\n', 'acl = @\n']) {
    const grown = growth(lines => void validated(fault.repeat(lines)), 2000, 5)
    t.true(grown <= 5, `${grown} times`)
  }
})
