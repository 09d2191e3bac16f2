import test from 'ava'
import { policyAggregate, type PolicyCommand } from '../../actors/policy.js'
import { isPolicyEvent, MANAGEMENT_POLICY_ID, type Policy, type PolicyInput } from '../../events/policy.js'
import { MANAGEMENT_POLICY_RULES } from '../../projections/acl/rules/builtin.js'
import { command, given } from '../support/decision-spec.js'
import { policyFixture, builtinPolicy, id, policyInput } from './acl-resources.js'

const world = given(
  builtinPolicy(),
  policyFixture(id(1), 'web', { Datacenters: ['dc2'] }),
  policyFixture(id(2), 'Batch')
)
const input = (parts: Partial<PolicyInput>): PolicyInput => policyInput({ Name: 'new', ...parts })
const create = (parts: Partial<PolicyInput>) => command('CreatePolicy', { ...input(parts), newId: id(9) })
const update = (of: string, parts: Partial<PolicyInput>) =>
  command('UpdatePolicy', { ...input(parts), id: of })
const remove = (of: string) => command('DeletePolicy', { id: of })
const builtin = (parts: Partial<PolicyInput>) =>
  world.when(policyAggregate, update(MANAGEMENT_POLICY_ID, parts))
const stored = (asked: PolicyCommand): Policy => {
  const [event] = world.when(policyAggregate, asked).events()
  if (!event || !isPolicyEvent(event)) throw new Error('no policy was stored')
  return event.Payload.ACLPolicy
}

test('a policy is stored as given, with the exact text of its rules', t => {
  const Rules = '# comment\r\n service "a"\t{ policy = "read" }\n\n'
  const policy = stored(create({ Name: 'Ops_1-x', Description: 'd', Rules, Datacenters: ['b', 'a', 'b'] }))
  t.like(policy, {
    ID: id(9),
    Name: 'Ops_1-x',
    Rules,
    Datacenters: ['b', 'a', 'b'],
    CreateIndex: 4,
    ModifyIndex: 4
  })
})

for (const Name of ['a', 'A-_9', 'x'.repeat(128)])
  test(`the name ${Name.slice(0, 10)} of ${Name.length} characters is accepted`, t =>
    world
      .when(policyAggregate, create({ Name }))
      .gives(t, [`ACLPolicyUpserted ${id(9)}`, { ACLPolicy: { Name } }]))

for (const Name of ['x'.repeat(129), 'a b', 'a.b', 'ä', 'a/b', 'a\n'])
  test(`the name ${JSON.stringify(Name).slice(0, 10)} of ${Name.length} characters is refused`, t =>
    world
      .when(policyAggregate, create({ Name }))
      .refuses(t, 'acl.policy.invalid', /Invalid Policy: invalid Name/))

test('a policy without a name is refused, at creation and update', t => {
  world
    .when(policyAggregate, create({ Name: '' }))
    .refuses(t, 'acl.policy.invalid', /Invalid Policy: no Name is set/)
  world.when(policyAggregate, update(id(1), { Name: '' })).refuses(t, 'acl.policy.invalid', /no Name is set/)
})

test('names are unique without regard to letter case', t => {
  world
    .when(policyAggregate, create({ Name: 'BATCH' }))
    .refuses(t, 'acl.policy.name-taken', /A Policy with Name "BATCH" already exists/)
})

test('a rename is refused by any name that exists, its own in other letter case included', t => {
  for (const Name of ['batch', 'WEB', 'global-management'])
    world
      .when(policyAggregate, update(id(1), { Name }))
      .refuses(t, 'acl.policy.name-taken', `Invalid Policy: A policy with name "${Name}" already exists`)
  world
    .when(policyAggregate, update(id(1), { Name: 'web' }))
    .gives(t, [`ACLPolicyUpserted ${id(1)}`, { ACLPolicy: { Name: 'web' } }])
})

test('an update replaces everything but ID and creation index', t => {
  const policy = stored(update(id(1), { Name: 'other' }))
  t.like(policy, { ID: id(1), Name: 'other', Description: '', Rules: '', CreateIndex: 1, ModifyIndex: 4 })
  t.deepEqual(policy.Datacenters, [])
})

test('an ID is found in any letter case', t => {
  world
    .when(policyAggregate, update(id(1).toUpperCase(), { Name: 'web' }))
    .gives(t, [`ACLPolicyUpserted ${id(1)}`, { ACLPolicy: { ID: id(1) } }])
  world.when(policyAggregate, remove(id(1).toUpperCase())).gives(t, `ACLPolicyDeleted ${id(1)}`)
})

test('an update of what is not there, or by no UUID, is refused', t => {
  world
    .when(policyAggregate, update(id(99), {}))
    .refuses(t, 'acl.policy.not-found', /cannot find policy aaaaaaaa/)
  world.when(policyAggregate, update('web', {})).refuses(t, 'acl.policy.invalid', /Policy ID invalid UUID/)
})

const unreadable: readonly (readonly [rules: string, text: RegExp])[] = [
  ['service "a" { policy = "rad" }', /Invalid Policy: Rules: .*rad/s],
  ['service "a" {', /Invalid Policy: Rules/],
  ['acl = "list"', /Invalid Policy: Rules/],
  ['{"service": 7}', /Invalid Policy: Rules/]
]
for (const [Rules, text] of unreadable)
  test(`the rules ${Rules} are refused, at creation and update`, t => {
    world.when(policyAggregate, create({ Rules })).refuses(t, 'acl.policy.rules-invalid', text)
    world.when(policyAggregate, update(id(1), { Rules })).refuses(t, 'acl.policy.rules-invalid', text)
  })

test('name comes before uniqueness, uniqueness before rules', t => {
  const Rules = 'nonsense {'
  world.when(policyAggregate, create({ Name: '!', Rules })).refuses(t, 'acl.policy.invalid', /invalid Name/)
  world
    .when(policyAggregate, create({ Name: 'web', Rules }))
    .refuses(t, 'acl.policy.name-taken', /already exists/)
})

test('the built-in policy may be renamed and described, while its rules and datacenters stay', t => {
  const Rules = MANAGEMENT_POLICY_RULES
  builtin({ Name: 'all', Description: 'x', Rules }).gives(t, [
    `ACLPolicyUpserted ${MANAGEMENT_POLICY_ID}`,
    { ACLPolicy: { Name: 'all', Description: 'x', Rules } }
  ])
  builtin({ Name: 'all', Rules: `${Rules} ` }).refuses(
    t,
    'acl.policy.built-in',
    /Changing the Rules for the builtin/
  )
  builtin({ Name: 'all', Rules, Datacenters: [] }).refuses(
    t,
    'acl.policy.built-in',
    /Changing the Datacenters of the builtin/
  )
})

test('a deletion tells what the policy was; of nothing it changes nothing', t => {
  world
    .when(policyAggregate, remove(id(1)))
    .gives(t, [`ACLPolicyDeleted ${id(1)}`, { ACLPolicy: { ID: id(1), Name: 'web', Datacenters: ['dc2'] } }])
  world.when(policyAggregate, remove(id(99))).gives(t)
})

test('the built-in policy cannot be deleted, and a name is no ID', t => {
  world
    .when(policyAggregate, remove(MANAGEMENT_POLICY_ID))
    .refuses(t, 'acl.policy.built-in', /Delete operation not permitted on the builtin/)
  world.when(policyAggregate, remove('web')).refuses(t, 'acl.policy.invalid', /Policy ID invalid UUID/)
})

test('equal content has an equal hash; name, description, rules and the order of datacenters change it', t => {
  const hash = (parts: Partial<PolicyInput>): string => stored(create(parts)).Hash
  t.is(hash({ Name: 'a' }), stored(update(id(1), { Name: 'a' })).Hash)
  const parts: Partial<PolicyInput>[] = [
    {},
    { Name: 'b' },
    { Description: 'b' },
    { Rules: ' ' },
    { Datacenters: ['a', 'b'] },
    { Datacenters: ['b', 'a'] }
  ]
  t.is(new Set(parts.map(hash)).size, parts.length)
})
