// Templates of prepared queries: what is filled in, and what is refused (spec: queries.md §5).
import test from 'ava'
import type { QueryService } from '../../../events/prepared-query.js'
import { compileTemplate, TemplateError } from '../../../projections/queries/template.js'
import { queryService } from '../../support/queries.js'

interface Definition {
  readonly name?: string
  readonly regexp?: string
  readonly removeEmptyTags?: boolean
  readonly service?: Partial<QueryService>
}

const compile = ({ name = 't-', regexp = '', removeEmptyTags = false, service: given }: Definition) =>
  compileTemplate({
    Name: name,
    Template: { Type: 'name_prefix_match', Regexp: regexp, RemoveEmptyTags: removeEmptyTags },
    Service: queryService(given)
  })

const filled = (text: string, asked: string, definition: Definition = {}): string =>
  compile({ ...definition, service: { Service: text } })(asked).Service

test('variables are the name asked for, the prefix as stored, and the rest', t => {
  t.is(filled('${name.full}|${name.prefix}|${name.suffix}', 't-abc'), 't-abc|t-|abc')
  t.is(filled('${name.full}|${name.prefix}|${name.suffix}', 'T-abc'), 'T-abc|t-|T-abc')
  t.is(filled('[${agent.segment}]', 't-abc'), '[]')
})

test('groups of the leftmost match in the name are filled in, and nothing where there is none', t => {
  const regexp = '^t-(.*?)-([^-]+?)(x)?$'
  t.is(filled('${match(0)}|${match(1)}|${match(2)}|${match(3)}', 't-a-b-c', { regexp }), 't-a-b-c|a-b|c|')
  t.is(filled('[${match(1)}${match(9)}${match(-1)}]', 't-nothing', { regexp }), '[]')
  t.is(filled('a${match(0)}b', 't-x'), 'ab')
  t.is(filled('${match(1.9)}${match("1")}', 't-x', { regexp: 't-(.)' }), 'xx')
})

test('expressions have types, and their results become text', t => {
  t.is(filled('${1}|${1+2*3}|${7/2}|${7%4}|${-5}|${1.5}|${true}', 't-'), '1|7|3|3|-5|1.5|true')
  t.is(filled('${name.suffix == "a" ? "is" : "not"}', 't-a'), 'is')
  t.is(filled('${"q-${name.suffix}-\\"\\\\"}', 't-x'), 'q-x-"\\')
})

test('two dollar signs stand for one, with and without expressions beside them', t => {
  t.is(filled('$${name.full}', 't-x'), '${name.full}')
  t.is(filled('a$$b', 't-x'), 'a$b')
  t.is(filled('a$b ${name.suffix}$', 't-x'), 'a$b x$')
})

test('every value below Service is filled in, and no key of a map', t => {
  const text = '${name.suffix}'
  const rendered = compile({
    service: {
      Namespace: `n-${text}`,
      Failover: { NearestN: 2, Datacenters: [text, 'dc2'] },
      IgnoreCheckIDs: [`c-${text}`],
      Near: text,
      Tags: [text, `!${text}`],
      NodeMeta: { k: text },
      ServiceMeta: { [text]: `m-${text}` }
    }
  })('t-x')
  t.deepEqual(
    rendered,
    queryService({
      Namespace: 'n-x',
      Failover: { NearestN: 2, Datacenters: ['x', 'dc2'] },
      IgnoreCheckIDs: ['c-x'],
      Near: 'x',
      Tags: ['x', '!x'],
      NodeMeta: { k: 'x' },
      ServiceMeta: { [text]: 'm-x' }
    })
  )
})

test('empty tags go when that is asked for, and none become an empty list', t => {
  const tags = (given: readonly string[] | null): readonly string[] | null =>
    compile({ removeEmptyTags: true, service: { Tags: given } })('t-').Tags
  t.deepEqual(tags(['${name.suffix}', '', 'a', '!${name.suffix}']), ['a', '!'])
  t.deepEqual(tags(null), [])
})

for (const text of [
  '${name}',
  '${name.bogus}',
  '${name.full',
  '${}',
  '${a b}',
  '${match()}',
  '${match(1, 2)}',
  '${match(name.suffix)}',
  '${other(1)}',
  '${1/0}',
  '${name.full[0]}',
  '${1 & 2}',
  '${"x" ? 1 : 2}',
  '${'.repeat(10_000)
])
  test(`${text.slice(0, 30)} is refused`, t => {
    const error = t.throws(() => filled(text, 't-'), { instanceOf: TemplateError })
    t.regex(error?.message ?? '', /^Bad (format|evaluation) for |^Bad format /)
  })

for (const regexp of ['a(?=b)', '(?<=a)b', '*a', 'a{1001}', 'a*+', '[a', '(', '(?>a)', '\\1', 'a**', '\\y'])
  test(`the regular expression ${regexp} is refused`, t => {
    t.throws(() => compile({ regexp }), { instanceOf: TemplateError, message: /^Bad Regexp: / })
  })

for (const [regexp, asked, group] of [
  ['(?P<svc>\\w+)$', 't-web', 'web'],
  ['([[:digit:]]+)$', 't-a99', '99'],
  ['(?U)^t-(.+)-', 't-a-b-c', 'a'],
  ['\\At-(\\w+)\\z', 't-web', 'web'],
  ['^t-(\\p{Greek}+)', 't-αβγx', 'αβγ'],
  ['^t-(\\x{61}\\x62)', 't-abc', 'ab'],
  ['^t-(?i:A)(b)', 't-ab', 'b'],
  ['^t-([]a]+)', 't-]a]b', ']a]'],
  ['^t-(\\w+)\\b', 't-aé', 'a'],
  ['^t-(\\Qa.b\\E)', 't-a.b', 'a.b'],
  ['^t-(a{,2})', 't-a{,2}', 'a{,2}']
] as const)
  test(`the regular expression ${regexp} finds ${group}`, t => {
    t.is(filled('${match(1)}', asked, { regexp }), group)
  })
