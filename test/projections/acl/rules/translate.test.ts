import test from 'ava'
import fc from 'fast-check'
import { parseRules } from '../../../../projections/acl/rules/parse.js'
import { RuleError } from '../../../../projections/acl/rules/model.js'
import { translateRules } from '../../../../projections/acl/rules/translate.js'
import { growth } from '../../../support/cost.js'

const cases: readonly (readonly [title: string, legacy: string, today: string])[] = [
  ['labels become prefixes', 'key "a" { policy = "read" }', 'key_prefix "a" {\n  policy = "read"\n}'],
  ['what has no labels stays', 'operator = "read"\nacl = "write"', 'operator = "read"\n\nacl = "write"'],
  ['other letter cases stay', 'KEY "a" {}', 'KEY "a" {}'],
  [
    'consecutive lines are aligned, their comments too',
    'x {\n a = 1 # one\n bbb = "xyz" # two\n\n c = 3\n}',
    'x {\n  a   = 1     # one\n  bbb = "xyz" # two\n\n  c = 3\n}'
  ],
  [
    'a comment above an item begins a group of its own',
    'x {\n a = 1\n # lead\n b = 2\n}',
    'x {\n  a = 1\n\n  # lead\n  b = 2\n}'
  ],
  [
    'comments apart stay apart',
    '# first\n\nkey "" {\n # inner\n\n policy = "read"\n # last\n}',
    '# first\n\nkey_prefix "" {\n  # inner\n\n  policy = "read"\n\n  # last\n}'
  ],
  [
    'a comment on the line that opens a block goes to its first item',
    'key "a" { # all\n policy = "read"\n}',
    'key_prefix "a" {\n  policy = "read" # all\n}'
  ],
  ['a comment after the last item is set apart', 'a = 1 # tail', 'a = 1\n\n# tail\n'],
  ['a comment alone', '// nothing else', '// nothing else\n'],
  ['empty blocks on consecutive lines need no blank line', 'x {}\ny {}\n\nz {}', 'x {}\ny {}\n\nz {}'],
  ['a list on one line stays there', 'a = [1,2, 3,]', 'a = [1, 2, 3]'],
  [
    'a list on several lines, with comments',
    'a = [\n1, # one\n22, # two\n# lead\n3\n]',
    'a = [\n  1,  # one\n  22, # two\n\n  # lead\n  3,\n]'
  ],
  [
    'JSON becomes blocks',
    '{"key":{"a":{"policy":"read"},"b":{"policy":"write"}},"operator":"read"}',
    'key_prefix "a" {\n  policy = "read"\n}\n\nkey_prefix "b" {\n  policy = "write"\n}\n\n"operator" = "read"'
  ],
  [
    'a list of objects in JSON becomes a block for each',
    '{"service":[{"a":{"policy":"read"}},{"b":{"policy":"deny"}}]}',
    'service_prefix "a" {\n  policy = "read"\n}\n\nservice_prefix "b" {\n  policy = "deny"\n}'
  ],
  [
    'a comment between the words of a rule is not lost',
    'x {\n a = /* why */ 1\n b = 2\n}',
    'x {\n  a = 1\n\n  /* why */\n  b = 2\n}'
  ]
]
for (const [title, legacy, today] of cases) test(title, t => t.is(translateRules(legacy), today))

test('a text that cannot be read is refused with line and column', t => {
  const error = t.throws(() => translateRules('key "a" {'), { instanceOf: RuleError })
  t.regex(error?.syntax ?? '', /^At 1:10: /)
})

const label = fc.constantFrom('', 'a', 'web/', 'é "x"')
const level = fc.constantFrom('read', 'write', 'deny')
const comment = fc.constantFrom('', '# note', '\n# above\n', '\n\n# apart\n\n', '/* in */')
const rule = fc
  .tuple(comment, fc.constantFrom('key', 'service', 'node', 'query', 'event'), label, level, comment, comment)
  .map(
    ([before, name, on, policy, inside, after]) =>
      `${before}\n${name} ${JSON.stringify(on)} { ${inside}\n policy = "${policy}" ${inside}\n }${after}\n`
  )
const plain = fc.tuple(fc.constantFrom('acl', 'operator'), level).map(([name, one]) => `${name} = "${one}"\n`)
const rules = fc.array(fc.oneof(rule, plain), { maxLength: 8 }).map(parts => parts.join('\n'))
const wordsOf = (text: string): readonly string[] => text.match(/# \w+|\/\* in \*\//g) ?? []

test('a translation means what the text meant with its labels as prefixes', t => {
  fc.assert(
    fc.property(rules, text => {
      const meaning = parseRules(text).rules.map(one => ({
        ...one,
        match: one.label !== '' || !['acl', 'operator'].includes(one.resource) ? 'prefix' : 'exact',
        line: 0,
        column: 0
      }))
      const translated = parseRules(translateRules(text)).rules
      t.deepEqual(
        translated.map(one => ({ ...one, line: 0, column: 0 })),
        meaning
      )
    })
  )
})

test('a translation keeps every comment', t => {
  fc.assert(
    fc.property(rules, text => {
      const once = translateRules(text)
      t.deepEqual([...wordsOf(once)].toSorted(), [...wordsOf(text)].toSorted())
    })
  )
})

for (const [title, text] of [
  ['comments', (many: number) => '#\n\n'.repeat(many)],
  ['items on a line each', (many: number) => `x {\n${'a=1\n'.repeat(many)}}`],
  ['elements of a list', (many: number) => `a=[${'1,#\n'.repeat(many)}]`]
] as const)
  test(`many ${title} are printed in linear time`, t => {
    const grown = growth(many => void translateRules(text(many)), 2000, 6)
    t.true(grown <= 6, `${grown} times`)
  })
