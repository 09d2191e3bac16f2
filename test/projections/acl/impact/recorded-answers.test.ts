// The answers of recorded questions after a change, compared with all names that were asked about.
import test from 'ava'
import * as fc from 'fast-check'
import { compileAuthorizer } from '../../../../projections/acl/authorizer.js'
import { compareAuthorizers } from '../../../../projections/acl/impact/compare-authorizers.js'
import { recordedAnswer } from '../../../../projections/acl/impact/recorded-answers.js'
import { defaultPolicy, plainSet, ruleSet } from '../arbitraries.js'
import { runs } from '../../../support/property-runs.js'

const DEFAULT = { partition: 'default', namespace: 'default' }
const sets = fc.array(
  fc.oneof(plainSet, ruleSet).map(rules => ({ rules, tenancy: DEFAULT })),
  { maxLength: 3 }
)
const NAMES = ['', 'a', 'ab', 'abc', 'abcd', 'a/', 'a/b', 'a/b/c', 'a/bc', 'ac', 'b', 'ba', 'x', 'é', 'éa']

test('an answer is that of every name that the question may have been about', t => {
  const asked = fc.record({
    resource: fc.constantFrom('key' as const, 'service' as const, 'node' as const, 'intention' as const),
    access: fc.constantFrom('read' as const, 'write' as const),
    segment: fc.constantFrom('', 'a', 'ab', 'a/', 'a/b', 'b', 'x'),
    extent: fc.constantFrom('one' as const, 'list' as const, 'collapsed' as const)
  })
  fc.assert(
    fc.property(sets, sets, sets, defaultPolicy, asked, (shared, own, other, fallback, question) => {
      const before = compileAuthorizer([...shared, ...own], fallback)
      const after = compileAuthorizer([...shared, ...other], fallback)
      const recorded = { ...question, ...DEFAULT, isAllowed: true, count: 1, first: 0, last: 0 }
      const rights = compareAuthorizers(before, after)
      const answer = recordedAnswer(recorded, before, after, rights)
      const { resource, access, segment, extent } = question
      const names =
        extent === 'one' ? [segment] : NAMES.filter(name => name.startsWith(segment) && name !== segment)
      const answers = names.map(name => {
        const [was, is] = [before, after].map(one => one.may(resource, access, name, DEFAULT))
        if (was === is) return 'kept'
        return is ? 'allowed' : 'denied'
      })
      if (extent === 'one' || answer !== 'unknown') return answers.every(one => one === answer)
      return true
    }),
    { numRuns: runs(2000) }
  )
  t.pass()
})
