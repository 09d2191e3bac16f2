import test from 'ava'
import fc from 'fast-check'
import { compileAuthorizer, type Authorizer } from '../../../../projections/acl/authorizer.js'
import { parseRules } from '../../../../projections/acl/rules/parse.js'
import { decideQuestion } from '../../../../projections/acl/usage/decide-question.js'
import type { Question } from '../../../../projections/acl/usage/question.js'
import {
  suggestRules,
  type Generalization,
  type SuggestedRule
} from '../../../../projections/acl/usage/suggest-rules.js'
import { homeOf, suggestionText } from '../../../../projections/acl/usage/suggestion-text.js'
import { runAtOnce } from '../../../../projections/steps.js'
import { runs } from '../../../support/property-runs.js'

const HOME = { partition: 'default', namespace: 'default' }

const rulesOf = (text: string, source: string) => [{ rules: parseRules(text, HOME), tenancy: HOME, source }]

const rightsOf = (text: string, defaults = ''): Authorizer =>
  compileAuthorizer(rulesOf(text, 'policy p'), 'deny', rulesOf(defaults, 'policy d'))

const question = (fields: Partial<Question>): Question => ({
  resource: 'key',
  access: 'read',
  segment: '',
  extent: 'one',
  ...HOME,
  ...fields
})

interface Suggested {
  readonly rules: readonly SuggestedRule[]
  readonly text: string
}

const suggest = (
  authorizer: Authorizer,
  questions: readonly Question[],
  generalization: Generalization,
  home = HOME
): Suggested => {
  const rules = runAtOnce(suggestRules(authorizer, questions, generalization, home))
  return { rules, text: suggestionText(rules, homeOf(rules, home)) }
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
  const exact = rightsOf(['c', 'a', 'b'].map(name => `key "app/${name}" { policy = "read" }`).join('\n'))
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
const PATHS = ['', 'a/', 'b/', 'a/a/', 'a/b/', 'b/a/', 'b/b/']
/** All names that rules are about, and one more. */
const LABELS = [...PATHS.flatMap(path => [path, `${path}a`, `${path}b`]), 'c']
const label = fc.constantFrom(...LABELS.slice(0, -1))
const ruleOf = (isInDefault: boolean) =>
  fc
    .record({
      resource: fc.constantFrom('key', 'key', 'service', 'session', 'node'),
      isPrefix: fc.boolean(),
      label,
      level: fc.constantFrom(...LEVELS),
      intentions: fc.option(fc.constantFrom(...LEVELS))
    })
    .map(({ resource, isPrefix, label: name, level, intentions }) => {
      const also = resource === 'service' && intentions !== null ? `\n intentions = "${intentions}"\n` : ''
      const valid = resource === 'node' && level === 'write' && !isInDefault ? 'read' : level
      return `${resource}${isPrefix ? '_prefix' : ''} ${JSON.stringify(name)} { policy = "${valid}"${also} }`
    })
const policyText = fc
  .record({
    own: fc.array(ruleOf(true), { maxLength: 5 }),
    team: fc.array(ruleOf(false), { maxLength: 3 }),
    teams: fc.array(ruleOf(false), { maxLength: 2 }),
    all: fc.array(ruleOf(false), { maxLength: 1 }),
    ofPartitions: fc.array(ruleOf(false), { maxLength: 2 }),
    operator: fc.constantFrom('', 'operator = "read"', 'acl = "write"'),
    namespace: fc.constantFrom('', '', 'policy = "read"', 'policy = "deny"')
  })
  .map(
    ({ own, team, teams, all, ofPartitions, operator, namespace }) =>
      `${own.join('\n')}
${operator}
namespace "team" {
${team.join('\n')}
}
namespace_prefix "t" {
${namespace}
${teams.join('\n')}
}
namespace_prefix "" {
${all.join('\n')}
}
partition_prefix "" {
  namespace "team" {
${ofPartitions.join('\n')}
  }
}`
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
    partition: fc.constantFrom('default', 'default', 'default', 'other', '*'),
    namespace: fc.constantFrom('default', 'team', 'team', 'tx', '*', '')
  })
  .map(({ resource, access, segment, extent, partition, namespace }): Question => {
    const isKey = resource === 'key'
    const isPlain = resource === 'operator' || resource === 'acl' || resource === 'namespace'
    const usual = access === 'write' || access === 'write-prefix' ? 'write' : 'read'
    const isStar = resource !== 'intention' && segment === '*'
    return {
      resource,
      access: isPlain ? usual : isKey || access === 'read-all' ? access : usual,
      segment: isPlain || access === 'read-all' || isStar ? '' : segment,
      extent: isPlain || access === 'read-all' || segment === '*' ? 'one' : extent,
      partition: resource === 'operator' ? 'default' : partition,
      namespace: resource === 'operator' ? 'default' : namespace
    }
  })

const ACCESSES_OF_KEYS = ['read', 'list', 'write', 'write-prefix', 'read-all'] as const

/** Questions that tell any two policies of the test apart. */
const probes: readonly Question[] = ['default', 'other'].flatMap(partition =>
  ['default', 'team', 'tx', 'other', '*'].flatMap(namespace =>
    (['key', 'service', 'session', 'node', 'intention', 'operator', 'acl', 'namespace'] as const).flatMap(
      resource =>
        (resource === 'key' ? ACCESSES_OF_KEYS : (['read', 'write', 'read-all'] as const)).flatMap(access =>
          ['', 'a', 'b', 'a/', 'a/a', 'a/b', 'b/a/', 'a/a/b', 'c', '*'].map(segment =>
            question({ resource, access, segment, partition, namespace })
          )
        )
    )
  )
)

test('a service whose intentions alone are allowed shows its namespace', t => {
  const rights = rightsOf(`
    service "web" { policy = "read" intentions = "read" }
    service "web" { policy = "deny" intentions = "read" }
  `)
  const found = rightsOf(suggest(rights, [question({ resource: 'namespace' })], 'prefix').text)
  t.true(found.mayNamespace('read', HOME))
  t.false(found.may('service', 'read', 'web', HOME))
})

test('a rule for several namespaces is suggested where that of one denies its names, which stay denied', t => {
  const rights = rightsOf(`
    namespace "team" { key_prefix "app/" { policy = "deny" } }
    namespace "other" { key_prefix "app/" { policy = "deny" } }
    namespace_prefix "t" { key_prefix "app/" { policy = "write" } }
  `)
  const recorded = [question({ resource: 'namespace', namespace: 'team' })]
  t.is(
    suggest(rights, recorded, 'prefix').text,
    `namespace_prefix "t" {
  key_prefix "app/" {
    policy = "read"
  }
}
namespace "team" {
  key_prefix "app/" {
    policy = "deny"
  }
}
`
  )
})

test('a question about all namespaces is answered in the one that allows it', t => {
  const rights = rightsOf('namespace "team" { key_prefix "app/" { policy = "write" } }')
  const recorded = [question({ segment: 'app/a', namespace: '*' })]
  t.is(
    suggest(rights, recorded, 'prefix').text,
    'namespace "team" {\n  key "app/a" {\n    policy = "read"\n  }\n}\n'
  )
})

test('names that the defaults of the namespace allow stay denied', t => {
  const defaults = 'key_prefix "" { policy = "write" }'
  const rights = rightsOf('key "secret" { policy = "deny" }', defaults)
  const { text } = suggest(rights, [question({ segment: 'a' })], 'prefix')
  t.is(text, 'key "a" {\n  policy = "read"\n}\nkey "secret" {\n  policy = "deny"\n}\n')
})

test('rules of namespace defaults that a policy of the namespace cannot have are not suggested', t => {
  const team = { partition: 'default', namespace: 'team' }
  const keyRules = 'key "a" { policy = "read" } key "c" { policy = "read" }'
  const own = [{ rules: parseRules(keyRules, team), tenancy: team, source: 'policy p' }]
  const defaults = `
    operator = "read"
    namespace "team" { policy = "read" key "b" { policy = "read" } }
    namespace_prefix "" { key_prefix "c" { policy = "read" } }
  `
  const rights = compileAuthorizer(own, 'deny', rulesOf(defaults, 'policy d'))
  const recorded = [
    question({ resource: 'operator' }),
    question({ resource: 'namespace', ...team }),
    question({ segment: 'c', namespace: 'other' }),
    question({ segment: 'c', namespace: '*' }),
    ...['a', 'b'].map(segment => question({ segment, ...team }))
  ]
  for (const one of recorded) t.true(decideQuestion(rights, one).allowed, JSON.stringify(one))
  const expected = ['c', 'a', 'b'].map(name => `key "${name}" {\n  policy = "read"\n}\n`)
  t.is(suggest(rights, recorded, 'prefix', team).text, expected.join(''))
})

test('a suggestion answers all recorded questions as the current rights do, and grants nothing else', t => {
  fc.assert(
    fc.property(
      policyText,
      fc.oneof(fc.constant(''), policyText),
      fc.array(asked, { maxLength: 12 }),
      fc.constantFrom<Generalization>('exact', 'prefix'),
      (text, defaults, questions, generalization) => {
        const rights = rightsOf(text, defaults)
        const { text: suggested } = suggest(rights, questions, generalization)
        const authorizer = rightsOf(suggested, defaults)
        const isAllowed = (one: Authorizer, about: Question): boolean => decideQuestion(one, about).allowed
        const fail = (about: Question): never => {
          const answer = isAllowed(rights, about)
          throw new Error(`${JSON.stringify(about)} is ${answer}\n${text}\n${defaults}\n→\n${suggested}`)
        }
        // With namespace defaults, either they or the rules of the token decide about several namespaces at once, never both.
        const isComparable = ({ partition, namespace }: Question): boolean =>
          defaults === '' || !['', '*'].some(name => name === partition || name === namespace)
        // Reading all is also denied for a rule that another one replaces at all its names.
        const isReadAll = (about: Question): boolean =>
          about.access === 'read-all' &&
          LABELS.every(segment => isAllowed(rights, { ...about, access: 'read', segment }))
        for (const about of questions.filter(isComparable))
          if (isAllowed(authorizer, about) !== isAllowed(rights, about) && !isReadAll(about)) fail(about)
        for (const about of probes.filter(isComparable))
          if (isAllowed(authorizer, about) && !isAllowed(rights, about) && !isReadAll(about)) fail(about)
      }
    ),
    { numRuns: runs(500), includeErrorInReport: true }
  )
  t.pass()
})
