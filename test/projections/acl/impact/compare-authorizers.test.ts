// The comparison of two authorizers finds what brute force finds over a small alphabet.
import test from 'ava'
import * as fc from 'fast-check'
import type { Tenancy } from '../../../../events/envelope.js'
import {
  compileAuthorizer,
  decideReadJob,
  type Authorizer,
  type ScopedRules
} from '../../../../projections/acl/authorizer.js'
import { compareAuthorizers } from '../../../../projections/acl/impact/compare-authorizers.js'
import type {
  ComparedAccess,
  RightsDifference
} from '../../../../projections/acl/impact/rights-differences.js'
import {
  LABELLED,
  UNLABELLED,
  type Level,
  type Resource,
  type Rule,
  type ScopeName
} from '../../../../projections/acl/rules/model.js'
import { defaultPolicy } from '../arbitraries.js'
import { runs } from '../../../support/property-runs.js'

const label = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 })
const match = fc.constantFrom('exact' as const, 'prefix' as const)
const level = fc.constantFrom<Level>('deny', 'read', 'write')
const synthetic = { line: 0, column: 0 }
const rule: fc.Arbitrary<Rule> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        resource: fc.constantFrom('key' as const, 'service' as const, 'node' as const),
        match,
        label,
        level,
        intentions: fc.option(level)
      })
      .map(one => ({ ...one, ...synthetic, intentions: one.resource === 'service' ? one.intentions : null }))
  },
  {
    weight: 1,
    arbitrary: fc.record({ match, label }).map(one => ({
      ...one,
      ...synthetic,
      resource: 'key' as const,
      level: 'list' as const,
      intentions: null
    }))
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ resource: fc.constantFrom('acl' as const, 'operator' as const, 'namespace' as const), level })
      .map(one => ({ ...one, ...synthetic, match: 'exact' as const, label: '', intentions: null }))
  },
  {
    weight: 1,
    arbitrary: fc
      .record({ resource: fc.constantFrom('agent' as const, 'query' as const), match, label, level })
      .map(one => ({ ...one, ...synthetic, intentions: null }))
  }
)
const rules = fc.array(rule, { maxLength: 4 })
const scopeName = fc.record({ match, label: fc.constantFrom('default', 'a', 'ab', '') })
const block = fc.record({ partition: fc.option(scopeName, { freq: 4 }), namespace: scopeName, rules })
const set: fc.Arbitrary<ScopedRules> = fc
  .record({
    rules,
    blocks: fc.array(block, { maxLength: 2 }),
    tenancy: fc.record({
      partition: fc.constantFrom('default', 'default', 'a'),
      namespace: fc.constantFrom('default', 'default', 'a')
    })
  })
  .map(({ tenancy, ...one }) => ({ rules: { ...one, warnings: [] }, tenancy }))
const sets = fc.array(set, { maxLength: 3 })

const wordsOf = (letters: string, longest: number): readonly string[] =>
  longest === 0
    ? ['']
    : ['', ...letters.split('').flatMap(letter => wordsOf(letters, longest - 1).map(word => letter + word))]
const NAMES = [...new Set(wordsOf('abc', 4))]
const PLACES = ['default', 'a', 'ab', 'abc', 'b', 'defaultb', '']
const TENANCIES: readonly Tenancy[] = PLACES.flatMap(partition =>
  [...PLACES, '*'].map(namespace => ({ partition, namespace }))
)

interface Asked {
  readonly resource: Resource
  readonly access: ComparedAccess
  readonly name: string | null
  readonly tenancy: Tenancy
}

const decide = (authorizer: Authorizer, { resource, access, name, tenancy }: Asked): boolean => {
  if (access === 'read-job') return decideReadJob(authorizer, tenancy).allowed
  if (access === 'read-all') return authorizer.mayAll(resource, 'read', tenancy)
  if (resource === 'namespace') return authorizer.mayNamespace(access === 'write' ? 'write' : 'read', tenancy)
  return authorizer.may(resource, access, name ?? '', tenancy)
}

function* everyQuestion(): Iterable<Asked> {
  for (const tenancy of TENANCIES) {
    for (const resource of UNLABELLED)
      for (const access of ['read', 'write'] as const) yield { resource, access, name: null, tenancy }
    for (const resource of [...LABELLED, 'intention' as const]) {
      const accesses =
        resource === 'key'
          ? (['read', 'list', 'write', 'write-prefix'] as const)
          : (['read', 'write', 'write-prefix'] as const)
      for (const access of accesses)
        for (const name of [...NAMES, '*']) yield { resource, access, name, tenancy }
      if (tenancy.namespace !== '*') yield { resource, access: 'read-all', name: null, tenancy }
    }
    if (tenancy.namespace === '*') continue
    for (const access of ['read', 'write', 'read-job'] as const)
      yield { resource: 'namespace', access, name: null, tenancy }
  }
}

const QUESTIONS = [...everyQuestion()]

/** A name of a set of names of the difference: one that no label of the alphabet reaches. */
const oneOf = ({ match: kind, label: text }: ScopeName): string => (kind === 'exact' ? text : `${text}cccc`)

const differencesOf = (before: Authorizer, after: Authorizer): readonly RightsDifference[] =>
  compareAuthorizers(before, after)

const pairs = fc
  .record({ shared: sets, before: sets, after: sets, shifted: fc.boolean(), fallback: defaultPolicy })
  .map(({ shared, before, after, shifted, fallback }) =>
    shifted
      ? ([compileAuthorizer(shared, fallback, before), compileAuthorizer(shared, fallback, after)] as const)
      : ([
          compileAuthorizer([...shared, ...before], fallback),
          compileAuthorizer([...shared, ...after], fallback)
        ] as const)
  )

test('there is a difference exactly if brute force finds one', t => {
  fc.assert(
    fc.property(pairs, ([before, after]) => {
      const differing = QUESTIONS.find(one => decide(before, one) !== decide(after, one))
      const found = differencesOf(before, after)
      if ((differing === undefined) !== (found.length === 0))
        throw new Error(JSON.stringify({ differing, found }))
    }),
    { numRuns: runs(400) }
  )
  t.pass()
})

test('each difference is one of the decisions', t => {
  fc.assert(
    fc.property(pairs, ([before, after]) => {
      for (const difference of differencesOf(before, after)) {
        const { resource, segment, partition, namespace, gained, lost } = difference
        const tenancy = { partition: oneOf(partition), namespace: oneOf(namespace) }
        for (const access of [...gained, ...lost]) {
          const one = { resource, access, name: segment && oneOf(segment), tenancy }
          const isGain = gained.includes(access)
          if (decide(after, one) !== isGain || decide(before, one) === isGain)
            throw new Error(JSON.stringify({ difference, access }))
        }
      }
    }),
    { numRuns: runs(1000) }
  )
  t.pass()
})

test('each differing decision on a name is part of a difference', t => {
  const covers = ({ match: kind, label: text }: ScopeName, name: string): boolean =>
    kind === 'exact' ? text === name : name.startsWith(text)
  fc.assert(
    fc.property(pairs, ([before, after]) => {
      const found = differencesOf(before, after)
      for (const one of QUESTIONS) {
        if (one.access === 'write-prefix' || one.tenancy.namespace === '*') continue
        const isAllowed = decide(after, one)
        if (decide(before, one) === isAllowed) continue
        const { resource, access, name, tenancy } = one
        const isShared =
          resource === 'operator' ||
          resource === 'keyring' ||
          resource === 'event' ||
          resource === 'query' ||
          resource === 'agent'
        const isFound = found.some(
          difference =>
            difference.resource === resource &&
            (isAllowed ? difference.gained : difference.lost).includes(access) &&
            (difference.segment === null
              ? name === null
              : name !== null && covers(difference.segment, name)) &&
            (isShared ||
              (covers(difference.partition, tenancy.partition) &&
                covers(difference.namespace, tenancy.namespace)))
        )
        if (!isFound) throw new Error(JSON.stringify({ one, found }))
      }
    }),
    { numRuns: runs(150) }
  )
  t.pass()
})

const keyRule = (kind: 'exact' | 'prefix', text: string, of: Level): Rule => ({
  resource: 'key',
  match: kind,
  label: text,
  level: of,
  intentions: null,
  ...synthetic
})
const DEFAULT = { partition: 'default', namespace: 'default' }
const setOf = (...all: readonly Rule[]): ScopedRules => ({
  rules: { rules: all, blocks: [], warnings: [] },
  tenancy: DEFAULT
})

test('trees of names can differ at a path that no rule names', t => {
  const own = [setOf(keyRule('prefix', 'ab', 'write'))]
  const kept = [keyRule('prefix', '', 'write'), keyRule('exact', 'z', 'deny')]
  const found = differencesOf(
    compileAuthorizer(own, 'deny', [setOf(...kept)]),
    compileAuthorizer(own, 'deny', [setOf(...kept, keyRule('exact', 'abc', 'deny'))])
  )
  const place = { resource: 'key', partition: { match: 'exact', label: 'default' } }
  t.like(
    found.filter(({ segment }) => segment !== null),
    [{ ...place, segment: { match: 'exact', label: 'a' }, gained: [], lost: ['write-prefix'] }]
  )
})

test('names below a prefix differ though each character of one code unit continues it in a rule', t => {
  const denied: Rule[] = []
  for (let code = 0x30; code < 0xd800; code++)
    denied.push(keyRule('prefix', `a${String.fromCharCode(code)}`, 'deny'))
  const withLevel = (of: Level): Authorizer =>
    compileAuthorizer([setOf(keyRule('prefix', 'a', of), ...denied)], 'deny')
  const [found] = differencesOf(withLevel('read'), withLevel('write'))
  const place = { resource: 'key', segment: { match: 'prefix', label: 'a' } }
  t.like(found, { ...place, gained: ['list', 'write', 'write-prefix'], lost: [] })
})

test('a right in any namespace can differ though it is the same in each', t => {
  const denied = setOf(keyRule('prefix', '', 'deny'))
  const inTeam = {
    partition: null,
    namespace: { match: 'exact' as const, label: 'team' },
    rules: [keyRule('prefix', '', 'write')]
  }
  const extended = { ...denied, rules: { ...denied.rules, blocks: [inTeam] } }
  const found = differencesOf(compileAuthorizer([denied], 'allow'), compileAuthorizer([extended], 'allow'))
  t.deepEqual([...new Set(found.map(({ namespace }) => namespace.label))], ['*'])
  t.true(found.every(({ gained, lost }) => gained.length > 0 && lost.length === 0))
})
