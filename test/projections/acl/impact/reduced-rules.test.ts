// Reduced rules of random policies differ exactly where the complete rules do.
import test from 'ava'
import * as fc from 'fast-check'
import { POLICY_TOPIC, type Policy } from '../../../../events/policy.js'
import type { DirectGrants } from '../../../../projections/acl/collect-rules.js'
import { compareAuthorizers } from '../../../../projections/acl/impact/compare-authorizers.js'
import { GrantsComparison } from '../../../../projections/acl/impact/grants-comparison.js'
import { ReducedRules } from '../../../../projections/acl/impact/reduced-rules.js'
import type { RightsDifference } from '../../../../projections/acl/impact/rights-differences.js'
import { DraftViews } from '../../../../projections/draft-views.js'
import { Views } from '../../../../projections/read-models.js'
import { runs } from '../../../support/property-runs.js'
import { DEFAULT_TENANCY, type Event } from '../../../../events/envelope.js'

const label = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 })
const level = fc.constantFrom('read', 'write', 'write', 'write', 'deny')
const named = fc
  .record({
    kind: fc.constantFrom('key', 'key', 'session', 'node', 'service'),
    isPrefix: fc.boolean(),
    label,
    level
  })
  .map(one => `${one.kind}${one.isPrefix ? '_prefix' : ''} "${one.label}" { policy = "${one.level}" }`)
const unnamed = fc.constantFrom('operator = "read"', 'acl = "write"')
const inNamespace = fc
  .record({ label, level })
  .map(one => `namespace "a" { key_prefix "${one.label}" { policy = "${one.level}" } }`)
const text = fc
  .array(fc.oneof({ weight: 8, arbitrary: named }, unnamed, inNamespace), { maxLength: 5 })
  .map(lines => [...new Set(lines)].join('\n'))

const policyEvent = (ID: string, Rules: string): Event => {
  const ACLPolicy: Policy = {
    ID,
    Name: ID,
    Description: '',
    Rules,
    Datacenters: [],
    Hash: '',
    CreateIndex: 1,
    ModifyIndex: 1
  }
  return {
    Topic: POLICY_TOPIC,
    Type: 'ACLPolicyUpserted',
    Key: ID,
    Namespace: 'default',
    Partition: 'default',
    FilterKeys: null,
    Payload: { ACLPolicy }
  }
}

const NO_CALLER = { AccessorID: '', Address: '', RequestID: '', Command: '' }
const GRANTS: readonly Partial<DirectGrants>[] = [
  {},
  { ServiceIdentities: [{ ServiceName: 'a' }] },
  { NodeIdentities: [{ NodeName: 'b', Datacenter: 'dc1' }] }
]

/** Returns the differences by the place and access, without those that follow from others. */
const placesOf = (differences: readonly RightsDifference[]): ReadonlySet<string> =>
  new Set(
    differences.flatMap(({ gained, lost, ...place }) =>
      place.segment?.match === 'exact' && gained.concat(lost).every(access => access === 'write-prefix')
        ? []
        : [...gained, ...lost].map(access => JSON.stringify([place, access, gained.includes(access)]))
    )
  )

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every(place => other.has(place))

test('rights differ by reduced rules as they do by all rules', t => {
  const counts = { reduced: 0, different: 0 }
  fc.assert(
    fc.property(text, text, fc.array(text, { maxLength: 2 }), (older, newer, others) => {
      const before = new Views({
        datacenter: 'dc1',
        isPrimary: true,
        aclEnabled: true,
        defaultPolicy: 'deny',
        tokenLife: { min: 0, max: 0 }
      })
      const ids = ['changed', ...others.map((_, i) => `other-${i}`)]
      const events = ids.map((id, i) => policyEvent(id, i === 0 ? older : (others[i - 1] ?? '')))
      before.apply({ Index: 1, Time: '2026-01-01T00:00:00Z', By: NO_CALLER, Events: events })
      const after = new DraftViews(before)
      after.draft([policyEvent('changed', newer)], '2026-01-01T00:00:00Z')
      const change = { before, after, policies: ['changed'] }
      const comparison = new GrantsComparison(change)
      for (const further of GRANTS)
        for (let links = 1; links <= ids.length; links++) {
          const Policies = ids.slice(0, links).map(ID => ({ ID }))
          const grants = { Policies, ServiceIdentities: [], NodeIdentities: [], ...further }
          const pair = {
            before: { grants, tenancy: DEFAULT_TENANCY },
            after: { grants, tenancy: DEFAULT_TENANCY }
          }
          const complete = compareAuthorizers(...comparison.authorizersOf(pair, 'dc1'))
          const found = comparison.rightsOf(pair, 'dc1')
          if (ReducedRules.of(change)?.of(pair.before, before, 'dc1')) counts.reduced++
          if (complete.length > 0) counts.different++
          if (!isSame(placesOf(found), placesOf(complete)) || found.length > 0 !== complete.length > 0)
            throw new Error(JSON.stringify({ older, newer, others, grants, found, complete }, null, 1))
        }
    }),
    { numRuns: runs(400) }
  )
  t.true(counts.reduced > runs(100), `${counts.reduced} rule sets were reduced`)
  t.true(counts.different > runs(100), `${counts.different} rule sets differed`)
})
