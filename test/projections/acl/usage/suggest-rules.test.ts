import test from 'ava'
import fc from 'fast-check'
import { compileAuthorizer, type Authorizer } from '../../../../projections/acl/authorizer.js'
import { parseRules } from '../../../../projections/acl/rules/parse.js'
import { decideQuestion } from '../../../../projections/acl/usage/decide-question.js'
import type { Question } from '../../../../projections/acl/usage/question.js'
import {
  suggestRules,
  type Generalization,
  type Suggestion
} from '../../../../projections/acl/usage/suggest-rules.js'
import { homeOf, suggestionText } from '../../../../projections/acl/usage/suggestion-text.js'
import { runAtOnce } from '../../../../projections/steps.js'
import { runs } from '../../../support/property-runs.js'

const HOME = { partition: 'default', namespace: 'default' }

const rightsOf = (text: string): Authorizer =>
  compileAuthorizer([{ rules: parseRules(text, HOME), tenancy: HOME, source: 'policy p' }], 'deny')

const question = (fields: Partial<Question>): Question => ({
  resource: 'key',
  access: 'read',
  segment: '',
  extent: 'one',
  ...HOME,
  ...fields
})

const suggest = (
  authorizer: Authorizer,
  questions: readonly Question[],
  generalization: Generalization
): Suggestion<Question> & { readonly text: string; readonly authorizer: Authorizer } => {
  const suggestion = runAtOnce(suggestRules(authorizer, questions, generalization))
  const home = homeOf(suggestion.rules, HOME)
  const text = suggestionText(suggestion.rules, home)
  return { ...suggestion, text, authorizer: rightsOf(text) }
}

const keys = (...names: readonly string[]): readonly Question[] => names.map(segment => question({ segment }))

test('names with a common prefix share a rule, which lists them, where the current rights cover the prefix', t => {
  const rights = rightsOf(
    'key_prefix "app/" { policy = "write" } key "app/config/secret" { policy = "deny" }'
  )
  const questions = keys('app/config/a', 'app/config/b', 'app/config/c', 'app/other')
  t.is(
    suggest(rights, questions, 'prefix').text,
    `key "app/other" {
  policy = "read"
}
# "app/config/a"
# "app/config/b"
# "app/config/c"
key_prefix "app/config/" {
  policy = "read"
}
key "app/config/secret" {
  policy = "deny"
}
`
  )
  t.is(suggest(rights, questions, 'exact').rules.length, 4)
  const exact = rightsOf(['a', 'b', 'c'].map(name => `key "app/${name}" { policy = "read" }`).join('\n'))
  t.is(suggest(exact, keys('app/a', 'app/b', 'app/c'), 'prefix').rules.length, 3)
})

test('collapsed prefixes are covered whole, and other resources and namespaces have rules of their own', t => {
  const rights = rightsOf(`
    key_prefix "" { policy = "write" }
    service_prefix "" { policy = "read" intentions = "write" }
    operator = "write"
    namespace "team" { policy = "read" session_prefix "" { policy = "write" } }
  `)
  const found = suggest(
    rights,
    [
      question({ segment: 'jobs/', extent: 'collapsed', access: 'write' }),
      question({ resource: 'service', segment: 'web' }),
      question({ resource: 'operator' }),
      question({ resource: 'namespace', namespace: 'team' }),
      question({ resource: 'session', segment: 'n', access: 'write', namespace: 'team' })
    ],
    'prefix'
  )
  for (const part of [
    'key_prefix "jobs/" {\n  policy = "write"',
    'service "web" {\n  policy = "read"\n  intentions = "deny"',
    'operator = "read"',
    'namespace "team" {\n  session "n" {'
  ])
    t.true(found.text.includes(part), `${part}\n${found.text}`)
})

const LEVELS = ['deny', 'read', 'write'] as const
const label = fc.stringMatching(/^([ab]\/){0,2}[ab]?$/)
const ruleOf = (...others: readonly 'node'[]) =>
  fc
    .record({
      resource: fc.constantFrom('key', 'key', 'service', 'session', ...others),
      isPrefix: fc.boolean(),
      label,
      level: fc.constantFrom(...LEVELS),
      intentions: fc.option(fc.constantFrom(...LEVELS))
    })
    .map(({ resource, isPrefix, label: name, level, intentions }) => {
      const also = resource === 'service' && intentions !== null ? `\n intentions = "${intentions}"\n` : ''
      return `${resource}${isPrefix ? '_prefix' : ''} ${JSON.stringify(name)} { policy = "${level}"${also} }`
    })
const policyText = fc
  .record({
    own: fc.array(ruleOf('node'), { maxLength: 5 }),
    team: fc.array(ruleOf(), { maxLength: 3 }),
    teams: fc.array(ruleOf(), { maxLength: 2 }),
    operator: fc.constantFrom('', 'operator = "read"', 'acl = "write"')
  })
  .map(
    ({ own, team, teams, operator }) =>
      `${own.join('\n')}\n${operator}\nnamespace "team" {\n${team.join('\n')}\n}\nnamespace_prefix "t" {\n${teams.join('\n')}\n}`
  )
const asked = fc
  .record({
    resource: fc.constantFrom(
      'key',
      'key',
      'service',
      'session',
      'node',
      'intention',
      'operator',
      'acl',
      'namespace'
    ),
    access: fc.constantFrom('read', 'write', 'list', 'write-prefix', 'read-all'),
    segment: fc.oneof(label, fc.constant('*')),
    extent: fc.constantFrom('one', 'one', 'list', 'collapsed'),
    namespace: fc.constantFrom('default', 'team')
  })
  .map(({ resource, access, segment, extent, namespace }): Question => {
    const isKey = resource === 'key'
    const isPlain = resource === 'operator' || resource === 'acl' || resource === 'namespace'
    const usual = access === 'write' || access === 'write-prefix' ? 'write' : 'read'
    const isStar = resource !== 'intention' && segment === '*'
    return {
      resource,
      access: isPlain ? usual : isKey || access === 'read-all' ? access : usual,
      segment: isPlain || access === 'read-all' || isStar ? '' : segment,
      extent: isPlain || access === 'read-all' || segment === '*' ? 'one' : extent,
      partition: 'default',
      namespace: resource === 'operator' ? 'default' : namespace
    }
  })

/** Questions that tell any two policies of the test apart. */
const probes: readonly Question[] = ['default', 'team', 'tx', 'other'].flatMap(namespace =>
  (['key', 'service', 'session', 'node', 'intention', 'operator', 'acl', 'namespace'] as const).flatMap(
    resource =>
      (['read', 'list', 'write', 'write-prefix', 'read-all'] as const).flatMap(access =>
        ['', 'a', 'b', 'a/', 'a/a', 'a/b', 'b/a/', 'a/a/b', 'c', '*'].map(segment =>
          question({ resource, access, segment, namespace })
        )
      )
  )
)

/** True if a rule for several namespaces allows a question, and a rule for its namespace denies all that the other one grants. */
const isByReplacedRule = (rights: Authorizer, about: Question): boolean => {
  const { because } = decideQuestion(rights, about)
  if (because.kind !== 'rule') return false
  const { resource, match, label: name } = because.rule
  const extent = match === 'prefix' ? 'collapsed' : 'one'
  const resources = resource === 'service' ? (['service', 'intention'] as const) : [resource]
  return resources.every(
    one => !decideQuestion(rights, { ...about, resource: one, access: 'read', segment: name, extent }).allowed
  )
}

test('a service whose intentions alone are allowed shows its namespace', t => {
  const rights = rightsOf(`
    service "web" { policy = "read" intentions = "read" }
    service "web" { policy = "deny" intentions = "read" }
  `)
  const found = suggest(rights, [question({ resource: 'namespace' })], 'prefix')
  t.deepEqual(found.uncovered, [])
  t.true(found.authorizer.mayNamespace('read', HOME))
  t.false(found.authorizer.may('service', 'read', 'web', HOME))
})

test('a suggestion answers all recorded questions as the current rights do, and grants nothing else', t => {
  fc.assert(
    fc.property(
      policyText,
      fc.array(asked, { maxLength: 12 }),
      fc.constantFrom<Generalization>('exact', 'prefix'),
      (text, questions, generalization) => {
        const rights = rightsOf(text)
        const { authorizer, uncovered, text: suggested } = suggest(rights, questions, generalization)
        const isAllowed = (one: Authorizer, about: Question): boolean => decideQuestion(one, about).allowed
        const fail = (about: Question): never => {
          throw new Error(`${JSON.stringify(about)} is ${isAllowed(rights, about)}\n${text}\n→\n${suggested}`)
        }
        for (const about of uncovered) if (!isByReplacedRule(rights, about)) fail(about)
        for (const about of questions)
          if (!uncovered.includes(about) && isAllowed(authorizer, about) !== isAllowed(rights, about))
            fail(about)
        for (const about of probes) if (isAllowed(authorizer, about) && !isAllowed(rights, about)) fail(about)
      }
    ),
    { numRuns: runs(500), includeErrorInReport: true }
  )
  t.pass()
})
