// Filter expressions (spec: auth.md §6, state.md §13).
import test from 'ava'
import fc from 'fast-check'
import {
  bool,
  map,
  number,
  object,
  objects,
  string,
  strings
} from '../../../projections/language/filter-syntax.js'
import { compileFilter, FilterError, parseFilter } from '../../../projections/language/filter.js'
import { costRatio } from '../../support/cost.js'

const fields = {
  Name: string,
  not: string,
  Port: number,
  Enabled: bool,
  Tags: strings,
  Meta: map(string),
  Addresses: map(object({ Address: string, Port: number })),
  Checks: objects({ Status: string, Tags: strings }),
  Proxy: object({ Mode: string }),
  value: map(string),
  list: map(strings)
}

const value = {
  Name: 'web-1',
  not: 'yes',
  Port: 80,
  Enabled: true,
  Tags: ['a', 'primary'],
  Meta: { env: 'prod', 'a.b': 'dotted', empty: '' },
  Addresses: { lan: { Address: '10.0.0.1', Port: 8080 } },
  Checks: [
    { Status: 'passing', Tags: [] },
    { Status: 'critical', Tags: ['x'] }
  ],
  value: { team: 'web', level: '7' },
  list: { groups: ['dev', 'ops'], none: [] }
}

const passes = (text: string): boolean => compileFilter(parseFilter(text), fields)(value)

for (const [text, expected] of [
  ['Name == "web-1"', true],
  ['Name=="web-1"', true],
  ['Name != `web-1`', false],
  ['Name contains web', true],
  ['web in Name', true],
  ['"" in Name', true],
  ['x not in Name', true],
  ['Name not contains web', false],
  ['Name matches "^web-\\\\d$"', true],
  ['Name matches eb', true],
  ['Name not matches eb', false],
  ['not == yes', true],
  ['not not == yes', false],
  ['not not not == yes', true],
  ['Port == 80', true],
  ['Port == "0x50"', true],
  ['Port == "0o120"', true],
  ['Port == "0120"', true],
  ['Port == "0x5_0"', true],
  ['Port == "8_0"', true],
  ['Port == "+80"', true],
  ['Port == "-0x8000_0000_0000_0000"', false],
  ['Port != 81', true],
  ['Enabled == t', true],
  ['Enabled != false', true],
  ['a in Tags', true],
  ['Tags contains prim', false],
  ['Tags is empty', false],
  ['Tags is not empty', true],
  ['env in Meta', true],
  ['Meta contains gone', false],
  ['Meta is empty', false],
  ['Meta.env == prod', true],
  ['Meta["a.b"] == dotted', true],
  ['Meta[ `a.b` ] == dotted', true],
  ['Meta.empty == ""', true],
  ['Meta.gone == ""', false],
  ['Meta.gone != ""', true],
  ['"" in Meta.gone', false],
  ['"" not in Meta.gone', true],
  ['Meta.gone matches ""', false],
  ['Meta.gone not matches ""', true],
  ['Addresses.lan.Port == 8080', true],
  ['Addresses.wan.Port != 1', true],
  ['Checks.Status == critical', true],
  ['Checks.Status != critical', true],
  ['not Checks.Status == gone', true],
  ['Checks is not empty', true],
  ['Checks.Tags contains x', true],
  ['Proxy.Mode == ""', true],
  ['list.gone is empty', true],
  ['list.gone is not empty', false],
  ['list.none is empty', true],
  ['dev in list.groups and ops in list.groups', true],
  ['value.team == web or value.team == x and value.team == y', true],
  ['(value.team == web or value.team == x) and value.team == y', false],
  ['not (value.team == x)', true],
  ['not value.team == x and value.team == web', true],
  ['value.level == 7.0', false],
  ['value.level == 7', true],
  [' \t\r\nvalue.team == web\n', true],
  ['( value.team == web )', true],
  ['((((value.team == web))))', true],
  ['value.team == value.team', false],
  ['value.gone == "\\u0061"', false],
  ['value.team == "\\x77eb"', true]
] as const)
  test(`\`${text}\` is ${expected}`, t => {
    t.is(passes(text), expected)
  })

for (const text of [
  '',
  '  ',
  'Name',
  'Name = x',
  "Name == 'x'",
  'Name == a-b',
  'Name == 10.1.0.1',
  'Name == 01',
  'Name == +1',
  'Name == 1e3',
  'web == Name2',
  '"web" == Name',
  'Name == x AND Port == 1',
  'Name == x && Port == 1',
  'not(Name == x)',
  '(Name == x)and(Name == y)',
  'Name == "a\\"b"',
  'Name == "\\q"',
  'Name == "a\nb"',
  'Name == [a]',
  'name == x',
  'Unknown == x',
  'Name.x == y',
  'value.a.b == x',
  'Proxy == x',
  'Proxy is empty',
  'Tags == a',
  'list.groups == dev',
  'list.groups matches dev',
  'value.team is empty',
  'Name is empty',
  'Port == x',
  'Port == "080"',
  'Port == "8__0"',
  'Port == "80_"',
  'Port == 9223372036854775808',
  `Port == "0x${'f'.repeat(80)}"`,
  'Port matches 8',
  'Port contains 8',
  'Enabled == yes',
  'Name matches "("',
  'Name matches "(?=a)"',
  'Name matches "(a)\\\\1"',
  'constructor == x',
  '__proto__.x == y',
  '(Name == x',
  'Name == x)'
])
  test(`\`${text}\` is refused`, t => {
    t.throws(() => passes(text), { instanceOf: FilterError })
  })

test('depth and length are bounded', t => {
  const nested = (levels: number): string => `${'('.repeat(levels)}Name == x${')'.repeat(levels)}`
  t.notThrows(() => parseFilter(nested(32)))
  t.throws(() => parseFilter(nested(33)), { instanceOf: FilterError, message: /32 levels/ })
  t.throws(() => parseFilter(`Name == "${'x'.repeat(8192)}"`), { instanceOf: FilterError, message: /8192/ })
})

test('an error says where it is', t => {
  const error = t.throws(() => parseFilter('Name ==\n  =x'), { instanceOf: FilterError })
  t.is(error?.position, 10)
  t.regex(error?.message ?? '', /^2:3 /)
})

test('any text is read or refused, never answered otherwise', t => {
  const word = fc.constantFrom(
    'Name',
    'not',
    'in',
    'is',
    'empty',
    '==',
    '(',
    ')',
    '"',
    '`',
    ' ',
    '.',
    '[',
    'and',
    '1'
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 30 }), words => {
      try {
        passes(words.join(''))
      } catch (error) {
        t.true(error instanceof FilterError)
      }
    })
  )
})

const pathological = {
  parentheses: `${'('.repeat(32)}value.team == x${')'.repeat(32)}`,
  'many parentheses': Array.from({ length: 100 }, () => `(${'('.repeat(20)}value.a == b${')'.repeat(20)})`)
    .join(' and ')
    .slice(0, 8000),
  'open parentheses': '('.repeat(8192),
  negations: `${'not '.repeat(2000)}not == x`,
  'negations of nothing': 'not '.repeat(2048),
  terms: Array.from({ length: 500 }, () => 'a in list.x').join(' or '),
  blanks: `value.a${' '.repeat(8000)}== b`,
  'blanks between words': `value.a ${'not '.repeat(10)}${' '.repeat(8000)}x`,
  'a long field': `value.${'a'.repeat(8000)} == b`,
  'many indexes': `value${'["a"]'.repeat(1500)} == b`,
  'an unclosed string': `value.a == "${'x'.repeat(8000)}`,
  'a pattern that others take exponential time for': `value.team matches "${'(a*)*'.repeat(30)}b"`,
  'nested repetition': 'value.team matches "(((a{30}){30}){30}){30}"'
}

const plain = Array.from({ length: 500 }, () => 'value.a == b').join(' or ')

for (const [name, text] of Object.entries(pathological))
  test.serial(`reading, compiling and asking costs about as much as of plain text: ${name}`, t => {
    const subject = { value: { team: 'a'.repeat(5000) }, list: {} }
    const ask = (filter: string) => (): void => {
      try {
        compileFilter(parseFilter(filter), fields)(subject)
      } catch (error) {
        if (!(error instanceof FilterError)) throw error
      }
    }
    const ratio = costRatio(ask(text), ask(plain), 20)
    t.true(ratio <= 20, `${ratio} times`)
  })
