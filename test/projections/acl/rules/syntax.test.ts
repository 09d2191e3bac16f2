// The syntax tree, and that no text makes the parser slow, deep or throw anything but its own error.
import test from 'ava'
import * as fc from 'fast-check'
import { parseRules } from '../../../../projections/acl/rules/parse.js'
import { RuleError } from '../../../../projections/acl/rules/model.js'
import { MAX_RULES_BYTES, MAX_RULES_DEPTH, parseDocument } from '../../../../projections/acl/rules/syntax.js'
import { growth } from '../../../support/cost.js'
import { runs } from '../../../support/property-runs.js'

/** The error of a text, undefined if it is accepted; anything but a RuleError is thrown. */
function errorOf(text: string): RuleError | undefined {
  try {
    parseRules(text)
    return undefined
  } catch (error) {
    if (error instanceof RuleError) return error
    throw error
  }
}

test('the tree keeps comments with what stands around them', t => {
  const text = '# first\n\nacl = "read" // after\n/* before */\nkey "a" { policy = "read" # in\n}\n'
  const { comments, positionOf } = parseDocument(text)
  t.deepEqual(
    comments.map(({ text: comment, start, gap }) => [
      comment,
      positionOf(start).line,
      positionOf(gap.start).line,
      positionOf(gap.end).line,
      gap.next
    ]),
    [
      ['# first', 1, 1, 3, 'a'],
      ['// after', 3, 3, 5, 'k'],
      ['/* before */', 4, 3, 5, 'k'],
      ['# in', 5, 5, 6, '}']
    ]
  )
})

test('the tree keeps the text of tokens and their extent', t => {
  const text = 'service "w\\u0065b" {\n  ports = [0x1F,\n 2]\n}'
  const { items, positionOf } = parseDocument(text)
  const [service] = items
  t.deepEqual(
    service?.keys.map(key => [key.text, key.name, key.quoted]),
    [
      ['service', 'service', false],
      ['"w\\u0065b"', 'web', true]
    ]
  )
  t.deepEqual([service?.assigned, service?.start, service?.end], [false, 0, text.length])
  const ports = service?.value.type === 'object' ? service.value.items[0]?.value : undefined
  t.deepEqual(
    [positionOf(ports?.start ?? -1), positionOf(ports?.end ?? -1)],
    [
      { line: 2, column: 11 },
      { line: 3, column: 4 }
    ]
  )
  t.like(ports?.type === 'list' ? ports.elements : [], [
    { type: 'number', text: '0x1F' },
    { type: 'number', text: '2' }
  ])
})

test('both notations give the same tree, but for quotes', t => {
  const hcl = parseDocument('a = {b = ["x", 1, true]}')
  const json = parseDocument('{"a": {"b": ["x", 1, true]}}')
  const bare = (document: typeof hcl) =>
    JSON.stringify(document.items).replaceAll(/"(start|end|text|quoted)":[^,}]+,?/g, '')
  t.is(bare(json), bare(hcl))
  t.deepEqual([hcl.notation, json.notation], ['hcl', 'json'])
})

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

test('nesting is bounded', t => {
  t.is(errorOf(nested('a {', '}', MAX_RULES_DEPTH)), undefined)
  t.regex(errorOf(nested('a {', '}', MAX_RULES_DEPTH + 1))?.message ?? '', /nested deeper than 64 levels/)
  t.regex(errorOf(`a = ${nested('[', ']', 100_000)}`)?.message ?? '', /nested deeper/)
  t.regex(errorOf('{"a":'.repeat(100_000))?.message ?? '', /nested deeper/)
})

test('the length is bounded', t => {
  t.regex(errorOf('é'.repeat(MAX_RULES_BYTES / 2 + 1))?.message ?? '', /bytes, more than/)
})

/** The smaller of two lengths that are compared, in UTF-16 units. */
const LENGTH = runs(25_000)

const pathological: readonly (readonly [name: string, unit: string, before?: string])[] = [
  ['open blocks', 'a {'],
  ['names', 'a '],
  ['strings', '"a"'],
  ['assignments', 'a=1 '],
  ['comments', '#\n'],
  ['block comments', '/**/'],
  ['stars', '*', '/*'],
  ['open lists', '[', 'a='],
  ['elements', '1,', 'a=['],
  ['dollars', '$', 'a="'],
  ['open interpolations', '${', 'a="'],
  ['braces in an interpolation', '{', 'a="${'],
  ['escapes', '\\n', 'a="'],
  ['lines of a heredoc', 'E \n', 'a=<<E\n'],
  ['blanks', ' '],
  ['members', '"a":1,', '{'],
  ['rules', 'key "a" { policy = "read" }\n']
]

for (const [name, unit, before = ''] of pathological)
  test(`a long text takes time in proportion to its length: ${name}`, t => {
    const grown = growth(length => void errorOf(before + unit.repeat(length / unit.length)), LENGTH, 8)
    t.true(grown <= 8, `${grown} times what the length explains`)
  })

const scraps = fc.constantFrom(
  ...'acl key service policy namespace = { } [ ] , : " "read" "a" # /* */ // ${ \\ 5 - . true null é ; \''.split(
    ' '
  ),
  '\n',
  ' ',
  '<<E\n',
  'E\n',
  '\0',
  '\ud800'
)

test('no text makes the parser throw anything but a RuleError', t => {
  const text = fc.oneof(
    fc.array(scraps, { maxLength: 30 }).map(parts => parts.join('')),
    fc.array(scraps, { maxLength: 30 }).map(parts => `{"service":${parts.join('')}}`),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.json()
  )
  fc.assert(
    fc.property(text, source => {
      const error = errorOf(source)
      return error === undefined || (error.line >= 1 && error.column >= 1 && error.message !== '')
    }),
    { numRuns: runs(5000) }
  )
  t.pass()
})
