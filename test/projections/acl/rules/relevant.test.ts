import test from 'ava'
import * as fc from 'fast-check'
import { compileAuthorizer, type ScopedRules } from '../../../../projections/acl/authorizer.js'
import { decisionOf } from '../../../../projections/acl/explain.js'
import { relevantRules } from '../../../../projections/acl/relevant-links.js'
import { defaultPolicy, question, scopedRules, tenancy } from '../arbitraries.js'
import { runs } from '../../../support/property-runs.js'

const sets = fc.array(scopedRules, { maxLength: 4 })
const onNamespace = fc.record({
  resource: fc.constant('namespace' as const),
  access: fc.constantFrom('read' as const, 'write' as const),
  segment: fc.constant(''),
  tenancy
})
const asked = fc.oneof(
  question.map(([resource, access, segment, where]) => ({ resource, access, segment, tenancy: where })),
  onNamespace
)

test('the relevant rules decide a question as all rules do', t => {
  fc.assert(
    fc.property(sets, sets, defaultPolicy, asked, (own, more, fallback, one) => {
      const relevant = (all: readonly ScopedRules[]) =>
        all.map(set => ({ ...set, rules: relevantRules(set.rules, one) }))
      const all = decisionOf({ authorizer: compileAuthorizer(own, fallback, more) }, one)
      const few = decisionOf({ authorizer: compileAuthorizer(relevant(own), fallback, relevant(more)) }, one)
      return few.allowed === all.allowed && (!all.allowed || few.because.kind === all.because.kind)
    }),
    { numRuns: runs(10_000) }
  )
  t.pass()
})
