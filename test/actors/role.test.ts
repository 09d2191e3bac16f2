import test from 'ava'
import type { RefusalCode } from '../../actors/refusal-codes.js'
import { roleAggregate, type RoleCommand } from '../../actors/role.js'
import { isRoleEvent, type Role, type RoleInput } from '../../events/role.js'
import { command, given } from '../support/decision-spec.js'
import { policyFixture, roleFixture, id } from './acl-resources.js'

const world = given(
  policyFixture(id(1), 'web'),
  policyFixture(id(2), 'batch'),
  roleFixture(id(3), 'ops'),
  roleFixture(id(4), 'Dev')
)
const inputOf = (parts: Partial<RoleInput>): RoleInput => ({
  Name: 'new',
  Description: '',
  Policies: [],
  ServiceIdentities: [],
  NodeIdentities: [],
  ...parts
})
const create = (parts: Partial<RoleInput>) => command('CreateRole', { ...inputOf(parts), newId: id(9) })
const update = (of: string, parts: Partial<RoleInput>) => command('UpdateRole', { ...inputOf(parts), id: of })
const remove = (of: string) => command('DeleteRole', { id: of })
const stored = (asked: RoleCommand): Role => {
  const [event] = world.when(roleAggregate, asked).events()
  if (!event || !isRoleEvent(event)) throw new Error('no role was stored')
  return event.Payload.ACLRole
}

test('a role is stored with its links resolved and each once', t => {
  const role = stored(create({ Policies: [{ Name: 'BATCH' }, { ID: id(1), Name: 'x' }, { ID: id(2) }] }))
  t.deepEqual(role.Policies, [
    { ID: id(2), Name: 'batch' },
    { ID: id(1), Name: 'web' }
  ])
  t.like(role, { ID: id(9), Name: 'new', CreateIndex: 5, ModifyIndex: 5 })
})

test('an update replaces everything but the index of the creation', t => {
  const role = stored(update(id(3), { Name: 'ops2', Description: 'd' }))
  t.like(role, { ID: id(3), Name: 'ops2', Description: 'd', CreateIndex: 1, ModifyIndex: 5 })
})

test('the hash is that of the content: equal for equal content, whatever the role', t => {
  t.is(stored(create({ Name: 'x' })).Hash, stored(update(id(3), { Name: 'x' })).Hash)
  t.not(stored(create({ Name: 'x' })).Hash, stored(create({ Name: 'x', Description: 'd' })).Hash)
  const linked = (...ids: string[]) => stored(create({ Policies: ids.map(ID => ({ ID })) })).Hash
  t.not(linked(id(1), id(2)), linked(id(2), id(1)))
})

for (const Name of ['a', 'A-_9', 'x'.repeat(256)])
  test(`the name ${Name.slice(0, 10)} of ${Name.length} characters is accepted`, t =>
    world.when(roleAggregate, create({ Name })).gives(t, [`ACLRoleUpserted ${id(9)}`, { ACLRole: { Name } }]))

for (const Name of ['x'.repeat(257), 'a b', 'a.b', 'ä', 'a\n'])
  test(`the name ${JSON.stringify(Name).slice(0, 10)} of ${Name.length} characters is refused`, t =>
    world.when(roleAggregate, create({ Name })).refuses(t, 'acl.role.invalid', /Invalid Role: invalid Name/))

test('names are required, and unique without regard to letter case, its own included', t => {
  world.when(roleAggregate, create({ Name: '' })).refuses(t, 'acl.role.invalid', /no Name is set/)
  world.when(roleAggregate, create({ Name: 'OPS' })).refuses(t, 'acl.role.name-taken', /"OPS" already exists/)
  world
    .when(roleAggregate, update(id(3), { Name: 'dev' }))
    .refuses(t, 'acl.role.name-taken', /"dev" already exists/)
  world
    .when(roleAggregate, update(id(3), { Name: 'Ops' }))
    .refuses(t, 'acl.role.name-taken', /"Ops" already exists/)
  world
    .when(roleAggregate, update(id(3), { Name: 'ops' }))
    .gives(t, [`ACLRoleUpserted ${id(3)}`, { ACLRole: { Name: 'ops' } }])
})

test('links and identities are checked in order: policies, services, nodes', t => {
  const bad = {
    ServiceIdentities: [{ ServiceName: '-', Datacenters: [] }],
    NodeIdentities: [{ NodeName: '', Datacenter: '' }]
  }
  const refused = (parts: Partial<RoleInput>, code: RefusalCode, text: RegExp) =>
    world.when(roleAggregate, create(parts)).refuses(t, code, text)
  refused({ ...bad, Policies: [{ Name: 'none' }] }, 'acl.link.unknown', /No such ACL policy with name "none"/)
  refused(bad, 'acl.grant.invalid', /Service identity "-" has an invalid name/)
  refused(
    { NodeIdentities: bad.NodeIdentities },
    'acl.grant.invalid',
    /missing the node name field on this role/
  )
})

test('only what exists can be changed, but a deletion of nothing is no error', t => {
  world.when(roleAggregate, update(id(8), {})).refuses(t, 'acl.role.not-found', `cannot find role ${id(8)}`)
  world.when(roleAggregate, update('x', {})).refuses(t, 'acl.role.invalid', 'Role ID invalid UUID')
  world.when(roleAggregate, remove('x')).refuses(t, 'acl.role.invalid', 'Role ID invalid UUID')
  world.when(roleAggregate, remove(id(8))).gives(t)
  world.when(roleAggregate, remove(id(3))).gives(t, [`ACLRoleDeleted ${id(3)}`, { ACLRole: { Name: 'ops' } }])
})

test('a role of another namespace is out of reach', t => {
  const tenancy = { partition: 'default', namespace: 'team' }
  const elsewhere = command('DeleteRole', { id: id(3) }, { tenancy })
  world.when(roleAggregate, elsewhere).gives(t)
})
