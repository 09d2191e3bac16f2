// Bind name templates (spec: auth.md §7).
import test from 'ava'
import * as fc from 'fast-check'
import { parseTemplate, TemplateError } from '../../../projections/language/template.js'
import { costRatio } from '../../support/cost.js'

const variables = new Map([
  ['value.team', 'web'],
  ['value.level', '7'],
  ['value.admin', 'true'],
  ['value.octal', '010'],
  ['value.nine', '09'],
  ['value.empty', ''],
  ['value.a-b', 'dash'],
  ['value.x.y', 'dots']
])
const render = (text: string): string => parseTemplate(text).render(variables)

for (const [text, expected] of [
  ['plain', 'plain'],
  ['a$b}c', 'a$b}c'],
  ['${value.team}', 'web'],
  ['x-${ value.team }-${value.level}', 'x-web-7'],
  ['$${value.team} ${value.team}', '${value.team} web'],
  ['$x${value.team}', '$xweb'],
  ['${value.a-b}${value.x.y}${value.empty}', 'dashdots'],
  ['${"Text"}', 'Text'],
  ['${"in ${value.team}"}', 'in web'],
  ['${"a\\"b\\\\c"}', 'a"b\\c'],
  ['${5 + 3}', '8'],
  ['${value.level + 1}', '8'],
  ['${value.octal + 0}', '8'],
  ['${5 / 2}', '2'],
  ['${-7 / 2}', '-3'],
  ['${7 % 4}', '3'],
  ['${5.0 / 2}', '2.5'],
  ['${7.0}', '7'],
  ['${1 + 2 * 3}', '7'],
  ['${(1 + 2) * 3}', '9'],
  ['${2 - 1 - 1}', '0'],
  ['${-3}', '-3'],
  ['${!false}', 'true'],
  ['${value.admin && true}', 'true'],
  ['${value.level == 7}', 'true'],
  ['${7 == value.level}', 'true'],
  ['${value.level < 10}', 'true'],
  ['${value.level >= 7.5}', 'false'],
  ['${value.team == "web" ? "yes" : "no"}', 'yes'],
  ['${value.team != "web" ? "yes" : value.level}', '7'],
  ['${false || 1 == 2 ? 1 : 2}', '2'],
  ['${value.admin ? 1 : 2}', '1'],
  ['${true ? false ? 1 : 2 : 3}', '2'],
  ['${0009223372036854775807}', '9223372036854775807']
] as const)
  test(`\`${text}\` gives \`${expected}\``, t => {
    t.is(render(text), expected)
  })

for (const text of [
  '${value.team',
  '${}',
  '${value.team extra}',
  '${value}',
  '${VALUE.team}',
  '${unknown}',
  '${value["team"]}',
  '${upper(value.team)}',
  '${value.team + 1}',
  '${value.team ? 1 : 2}',
  '${7 == value.team}',
  '${value.nine + 0}',
  '${1 / 0}',
  '${1 % 0}',
  '${1.5 % 1}',
  '${true ? "a" : 5}',
  '${1 ? 2 : 3}',
  '${"a\\q"}',
  '${"open}',
  '${1 +}',
  '${1 = 1}',
  '${9223372036854775808}',
  '${100000000000000000000}'
])
  test(`\`${text}\` is refused`, t => {
    t.throws(() => render(text), { instanceOf: TemplateError })
  })

test('depth and length are bounded, and reading takes linear time', t => {
  const texts = [
    `\${${'('.repeat(4000)}1`,
    `\${${'-'.repeat(8000)}1}`,
    `\${${'true ? 1 : '.repeat(700)}1}`,
    `\${${'1+'.repeat(4000)}1}`,
    '${"'.repeat(2000),
    '${a}'.repeat(3000)
  ]
  const plain = '${value.team}'.repeat(600)
  for (const text of texts) {
    const read = (): void => {
      try {
        render(text)
      } catch (error) {
        t.true(error instanceof TemplateError, String(error))
      }
    }
    const ratio = costRatio(read, () => void render(plain), 10)
    t.true(ratio <= 10, `${text.slice(0, 20)}: ${ratio} times what plain text costs`)
  }
})

test('a name that no variables can render is recognised', t => {
  const may = (template: string, name: string): boolean => parseTemplate(template).mayRender(name)
  t.true(may('web', 'Web'))
  t.false(may('web', 'web2'))
  t.true(may('${a}', ''))
  t.true(may('x-${a}', 'X-1'))
  t.false(may('x-${a}', 'y-1'))
  t.false(may('ab${a}ba', 'aba'))
  t.true(may('ab${a}ba', 'abba'))
  t.true(may('a${x}b${y}c', 'a1b2c'))
  t.false(may('a${x}b${y}c', 'a1c'))
  t.true(may('${a == "1" ? "b" : "c"}', 'anything'))
})

test('every rendered name is one that the template may render', t => {
  const part = fc.oneof(fc.constantFrom('a', 'b', 'ab'), fc.constantFrom('${v}', '${w}'))
  const value = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 })
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), value, value, (parts, v, w) => {
      const template = parseTemplate(parts.join(''))
      return template.mayRender(template.render(new Map(Object.entries({ v, w }))))
    })
  )
  t.pass()
})
