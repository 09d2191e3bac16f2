// Random rule sets and questions about them, from few labels so that they meet.
import * as fc from 'fast-check'
import type { Tenancy } from '../../../events/envelope.js'
import type { Access, DefaultPolicy, Resource, ScopedRules } from '../../../projections/acl/authorizer.js'
import {
  LABELLED,
  UNLABELLED,
  type Level,
  type Match,
  type Rule,
  type RuleSet
} from '../../../projections/acl/rules/model.js'

export const label = fc.constantFrom('', 'a', 'ab', 'abc', 'a/', 'a/b', 'b', '*', 'é')
export const match = fc.constantFrom<Match>('exact', 'prefix')
export const level = fc.constantFrom<Level>('deny', 'read', 'write')
const keyLevel = fc.constantFrom<Level>('deny', 'read', 'list', 'write')
const synthetic = { line: 0, column: 0 }

export const labelledRule: fc.Arbitrary<Rule> = fc
  .record({
    resource: fc.constantFrom(...LABELLED, 'key' as const, 'service' as const),
    match,
    label,
    level,
    keyLevel,
    intentions: fc.option(level)
  })
  .map(({ keyLevel: levelOfKey, intentions, ...rule }) => ({
    ...rule,
    ...synthetic,
    level: rule.resource === 'key' ? levelOfKey : rule.level,
    intentions: rule.resource === 'service' ? intentions : null
  }))

const unlabelledRule: fc.Arbitrary<Rule> = fc
  .record({ resource: fc.constantFrom(...UNLABELLED), level })
  .map(rule => ({ ...rule, ...synthetic, match: 'exact', label: '', intentions: null }))

export const rules = fc.array(fc.oneof({ weight: 6, arbitrary: labelledRule }, unlabelledRule), {
  maxLength: 6
})

const scopeName = fc.record({ match, label: fc.constantFrom('default', 'team', 'team-1', 'te', '') })
const partitionName = fc.record({ match, label: fc.constantFrom('default', 'p', '') })
const block = fc.record({ partition: fc.option(partitionName), namespace: scopeName, rules })

/** Rules without blocks. */
export const plainSet: fc.Arbitrary<RuleSet> = rules.map(own => ({ rules: own, blocks: [], warnings: [] }))

export const ruleSet: fc.Arbitrary<RuleSet> = fc
  .record({ rules, blocks: fc.array(block, { maxLength: 3 }) })
  .map(set => ({ ...set, warnings: [] }))

export const tenancy: fc.Arbitrary<Tenancy> = fc.record({
  partition: fc.constantFrom('default', 'default', 'default', 'default', 'p', 'px'),
  namespace: fc.constantFrom('default', 'default', 'default', 'default', 'team', 'team-1', 'other')
})

export const scopedRules: fc.Arbitrary<ScopedRules> = fc.record({ rules: ruleSet, tenancy })

export const defaultPolicy = fc.constantFrom<DefaultPolicy>('allow', 'deny')

const access = fc.constantFrom<Access>('read', 'write')
const keyAccess = fc.constantFrom<Access>('read', 'list', 'write', 'write-prefix')

export const resource = fc.constantFrom<Resource>(...LABELLED, ...UNLABELLED, 'key', 'intention', 'intention')

/** A question that makes sense: the accesses `list` and `write-prefix` are for keys. */
export const question = fc
  .record({
    resource,
    access,
    keyAccess,
    segment: fc.oneof(label, fc.constantFrom('abcd', 'a/b/c', 'x')),
    tenancy
  })
  .map(
    ({ resource: asked, access: usual, keyAccess: ofKey, segment, tenancy: where }) =>
      [asked, asked === 'key' ? ofKey : usual, segment, where] as const
  )
