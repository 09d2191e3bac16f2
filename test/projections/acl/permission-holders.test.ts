// Holders whose links have the same effect share a decision, and each is explained by its own links.
import test from 'ava'
import fc from 'fast-check'
import { explain } from '../../../projections/acl/explain.js'
import { PermissionHolders } from '../../../projections/acl/permission-holders.js'
import { subjectOf } from '../../../projections/acl/sources.js'
import { StepPace } from '../../../projections/steps.js'
import { id, policyFixture, roleFixture, tokenFixture } from '../../actors/acl-resources.js'
import { viewsAfter } from '../../support/decision-spec.js'
import { runs } from '../../support/property-runs.js'
import { label, question, tenancy } from './arbitraries.js'

const POLICIES = [
  'service "web" { policy = "deny" }',
  'service_prefix "" { policy = "read" }',
  'node_prefix "" { policy = "deny" }'
]
const ROLE = { ID: id(50), Name: '' }
const name = fc.oneof(fc.constantFrom('web', 'web-sidecar-proxy', 'api'), label)
const datacenter = fc.constantFrom('dc1', 'dc2')
const services = fc.array(
  fc.record({ ServiceName: name, Datacenters: fc.array(datacenter, { maxLength: 1 }) }),
  {
    maxLength: 3
  }
)
const nodes = fc.array(fc.record({ NodeName: name, Datacenter: datacenter }), { maxLength: 2 })
const identities = fc.record({ ServiceIdentities: services, NodeIdentities: nodes })
const linked = fc.uniqueArray(fc.nat({ max: POLICIES.length - 1 }), { maxLength: 2 })
const token = fc.record({ policies: linked, hasRole: fc.boolean(), own: identities })
const linkTo = (n: number) => ({ ID: id(30 + n), Name: '' })

test('every token is explained as by its own authorizer', t => {
  let shared = 0
  fc.assert(
    fc.property(
      fc.array(token, { minLength: 2, maxLength: 6 }),
      identities,
      fc.array(fc.tuple(question, tenancy), { minLength: 1, maxLength: 4 }),
      (tokens, ofRole, questions) => {
        const views = viewsAfter([
          ...POLICIES.map((Rules, n) => policyFixture(id(30 + n), `p${n}`, { Rules })),
          roleFixture(ROLE.ID, 'r', ofRole),
          ...tokens.map(({ policies, hasRole, own }, n) =>
            tokenFixture(id(100 + n), `s${n}`, {
              Policies: policies.map(linkTo),
              Roles: hasRole ? [ROLE] : [],
              ...own
            })
          )
        ])
        for (const [[resource, access, segment], where] of questions) {
          const asked = { resource, access, segment, tenancy: where }
          const holders = new PermissionHolders(views, asked, 0)
          for (const _ of holders.decideLinks());
          const names = new Set<string | undefined>()
          for (const row of views.tokens.all()) {
            const explanation = explain(asked, subjectOf(row, views), views)
            t.is(holders.has({ kind: 'token', row }, new StepPace()), explanation.Allowed)
            t.deepEqual(
              holders.explanationOf({ kind: 'token', row }),
              explanation.Allowed ? explanation : undefined
            )
            if (explanation.Source?.Kind === 'service identity') names.add(explanation.Source.Name)
          }
          if (names.size > 1) shared++
        }
      }
    ),
    { numRuns: runs(500) }
  )
  t.true(shared > 0)
})
