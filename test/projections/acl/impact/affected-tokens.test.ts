// An impact names the tokens whose rights change, in the datacenters where they do.
import test from 'ava'
import * as fc from 'fast-check'
import { namespaceUpserted } from '../../../../actors/namespace.js'
import { tokenUpserted } from '../../../../actors/token.js'
import { DEFAULT_TENANCY, type Event } from '../../../../events/envelope.js'
import { affectedGroups } from '../../../../projections/acl/impact/affected-groups.js'
import { postChange } from '../../../../projections/acl/impact/change-parts.js'
import { ChangedLinks, type AclChange } from '../../../../projections/acl/impact/changed-links.js'
import { compareAuthorizers } from '../../../../projections/acl/impact/compare-authorizers.js'
import { compareGroups } from '../../../../projections/acl/impact/compare-groups.js'
import { ReceivedChange } from '../../../../projections/acl/impact/compared-change.js'
import { compileGrants } from '../../../../projections/acl/resolver.js'
import { QuestionStore } from '../../../../projections/acl/usage/question-store.js'
import { DraftViews } from '../../../../projections/draft-views.js'
import type { Views } from '../../../../projections/read-models.js'
import { runAtOnce } from '../../../../projections/steps.js'
import { id, policyFixture, roleFixture } from '../../../actors/acl-resources.js'
import { settingsOfTests, viewsAfter } from '../../../support/decision-spec.js'
import { runs } from '../../../support/property-runs.js'
import { defaultPolicy } from '../arbitraries.js'

const DATACENTERS = ['dc1', 'dc2', 'dc3']
const TENANCIES = [DEFAULT_TENANCY, { partition: 'default', namespace: 'team' }]
const TOKENS = 4

const datacenters = fc.subarray(['dc1', 'dc2'], { maxLength: 1 })
const Rules = fc.constantFrom(
  '',
  'key "a" { policy = "write" }',
  'key_prefix "" { policy = "read" }',
  'key "a" { policy = "deny" }',
  'namespace "team" { service "a" { policy = "read" } }'
)
const links = (first: number) =>
  fc.subarray(
    [first, first + 1, first + 2].map(n => ({ ID: id(n), Name: '' })),
    { maxLength: 2 }
  )
const identities = fc.record({
  ServiceIdentities: fc.array(
    fc.record({ ServiceName: fc.constantFrom('a', 'b'), Datacenters: datacenters }),
    { maxLength: 1 }
  ),
  NodeIdentities: fc.array(
    fc.record({ NodeName: fc.constant('n'), Datacenter: fc.constantFrom('dc1', 'dc2') }),
    { maxLength: 1 }
  )
})

const policy = (n: number): fc.Arbitrary<Event> =>
  fc
    .record({ Rules, Datacenters: datacenters })
    .map(content => policyFixture(id(10 + n), `policy-${n}`, content))
const role = (n: number): fc.Arbitrary<Event> =>
  fc
    .tuple(links(10), identities)
    .map(([Policies, own]) => roleFixture(id(20 + n), `role-${n}`, { Policies, ...own }))
const token = (n: number): fc.Arbitrary<Event> =>
  fc.tuple(links(10), links(20), identities).map(([Policies, Roles, own]) =>
    tokenUpserted(TENANCIES[n % 2] ?? DEFAULT_TENANCY, id(40 + n), {
      AccessorID: id(30 + n),
      Description: '',
      Policies,
      Roles,
      ...own,
      Local: false,
      AuthMethod: '',
      CreateTime: '2025-12-31T00:00:00Z',
      CreateIndex: 1,
      ModifyIndex: 1
    })
  )
const namespace = fc
  .record({ PolicyDefaults: links(10), RoleDefaults: links(20) })
  .map(ACLs => namespaceUpserted('default', { Name: 'team', ACLs, CreateIndex: 1, ModifyIndex: 1 }))
const resources = [
  ...[0, 1, 2].map(policy),
  ...[0, 1, 2].map(role),
  ...Array.from({ length: TOKENS }, (_, n) => token(n)),
  namespace
]

/** Returns the tokens with other rights, each with the datacenter. */
const affectedOf = (change: AclChange): ReadonlySet<string> => {
  const changed = new ChangedLinks(change)
  const groups = runAtOnce(affectedGroups(change, changed, { now: 0, mayRead: () => true }))
  const { datacenter, defaultPolicy: fallback } = change.before.settings
  const received = new ReceivedChange({
    datacenter,
    defaultPolicy: fallback,
    policies: changed.onlyPolicies
  })
  const posted = { changed: changed.policies, groups, recorded: new QuestionStore(0) }
  runAtOnce(postChange(change, posted, parts => parts.forEach(part => received.add(part))))
  const found = new Set<string>()
  const { effects, datacenters: compared } = compareGroups(received)
  const named = (number: number): ReadonlySet<string | undefined> =>
    new Set(effects.filter(({ groups: some }) => some.includes(number)).map(effect => effect.datacenter))
  for (const [number, { accessors }] of groups.entries())
    for (const place of DATACENTERS) {
      const places = named(number)
      const name = compared.includes(place) ? place : '*'
      if (places.has(undefined) || places.has(name))
        for (const accessor of accessors) found.add(`${accessor} ${place}`)
    }
  return found
}

const differingOf = ({ before, after }: AclChange): ReadonlySet<string> => {
  const rightsIn = (views: Views, accessor: string, datacenter: string) => {
    const row = views.tokens.get(accessor)
    if (!row) throw new Error(`there is no token ${accessor}`)
    return compileGrants(row.token, row.tenancy, views, { datacenter }).authorizer
  }
  const found = new Set<string>()
  for (let n = 0; n < TOKENS; n++)
    for (const place of DATACENTERS) {
      const [was, is] = [before, after].map(views => rightsIn(views, id(30 + n), place))
      if (was && is && compareAuthorizers(was, is).length > 0) found.add(`${id(30 + n)} ${place}`)
    }
  return found
}

test('an impact has each token whose rights change, where they do', t => {
  let different = 0
  fc.assert(
    fc.property(fc.tuple(...resources), fc.oneof(...resources), defaultPolicy, (events, update, fallback) => {
      const before = viewsAfter(events, { ...settingsOfTests, defaultPolicy: fallback })
      const after = new DraftViews(before)
      after.draft([update], '2026-01-01T00:00:00Z')
      const change = { before, after, events: [update] }
      const [found, expected] = [affectedOf(change), differingOf(change)]
      if (expected.size > 0 && expected.size < TOKENS * DATACENTERS.length) different++
      t.deepEqual([...found].toSorted(), [...expected].toSorted())
    }),
    { numRuns: runs(1600) }
  )
  t.true(different > runs(100), `${different} changes differed between tokens or datacenters`)
})
