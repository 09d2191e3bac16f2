import test from 'ava'
import { namespaceAggregate, namespaceUpserted } from '../../actors/namespace.js'
import type { Tenancy } from '../../events/envelope.js'
import { isNamespaceEvent, type Namespace, type NamespaceInput } from '../../events/namespace.js'
import { command, given } from '../support/decision-spec.js'
import { policyFixture, roleFixture, id } from './acl-resources.js'

const namespace = (Name: string, parts: Partial<Namespace> = {}): Namespace => ({
  Name,
  CreateIndex: 1,
  ModifyIndex: 1,
  ...parts
})
const world = given(
  policyFixture(id(1), 'web'),
  roleFixture(id(2), 'ops'),
  namespaceUpserted('default', namespace('team', { Description: 'd', Meta: { a: '1' } })),
  namespaceUpserted('default', namespace('going', { DeletedAt: '2026-01-01T00:00:00Z' })),
  namespaceUpserted('default', namespace('default', { Description: 'Builtin Default Namespace' })),
  namespaceUpserted('p', namespace('default', { Partition: 'p' }))
)
const at = (name: string, partition = 'default'): { readonly tenancy: Tenancy } => ({
  tenancy: { partition, namespace: name }
})
const set = (name: string, parts: Partial<NamespaceInput> = {}, partition = 'default') =>
  command(
    'SetNamespace',
    { Description: '', ACLs: undefined, Meta: {}, newPolicyId: id(9), ...parts },
    at(name, partition)
  )
const stored = (asked: ReturnType<typeof set>): Namespace => {
  const [event] = world.when(namespaceAggregate, asked).events()
  if (!event || !isNamespaceEvent(event)) throw new Error('no namespace was stored')
  return event.Payload.Namespace
}

test('a new namespace receives the policy namespace-management in the same commit', t => {
  const outcome = world.when(namespaceAggregate, set('new'))
  outcome.gives(t, 'NamespaceUpserted new', [
    `ACLPolicyUpserted ${id(9)}`,
    { ACLPolicy: { Name: 'namespace-management', CreateIndex: 7 } }
  ])
  t.deepEqual(outcome.events()[1]?.Namespace, 'new')
  t.deepEqual(stored(set('new')), { Name: 'new', CreateIndex: 7, ModifyIndex: 7 })
})

test('an update replaces everything but the index of the creation, and makes no policy', t => {
  world.when(namespaceAggregate, set('team', { Description: 'e' })).gives(t, 'NamespaceUpserted team')
  t.deepEqual(stored(set('team', { Description: 'e' })), {
    Name: 'team',
    Description: 'e',
    CreateIndex: 1,
    ModifyIndex: 7
  })
})

test('the built-in namespace keeps its description when none is given', t => {
  t.is(stored(set('default')).Description, 'Builtin Default Namespace')
  t.is(stored(set('default', { Description: 'mine' })).Description, 'mine')
})

test('defaults are policies and roles of the namespace default, each once', t => {
  const acls = { PolicyDefaults: [{ Name: 'WEB' }, { ID: id(1) }], RoleDefaults: [{ ID: id(2), Name: 'x' }] }
  t.deepEqual(stored(set('new', { ACLs: acls })).ACLs, {
    PolicyDefaults: [{ ID: id(1), Name: 'web' }],
    RoleDefaults: [{ ID: id(2), Name: 'ops' }]
  })
})

test('Partition in the body of a namespace was lost once (hashicorp/consul#12845): it is kept', t => {
  t.is(stored(set('new', {}, 'p')).Partition, 'p')
})

for (const [name, text] of [
  ['', /Must specify a Name/],
  ['a_b', /DNS label/],
  ['-a', /DNS label/],
  ['a'.repeat(64), /DNS label/],
  ['*', /DNS label/],
  ['system', /is reserved for future internal use/],
  ['universal', /reserved/],
  ['operator', /reserved/],
  ['root', /reserved/]
] as const)
  test(`a namespace cannot be called ${JSON.stringify(name)}`, t => {
    world.when(namespaceAggregate, set(name)).refuses(t, 'tenancy.invalid', text)
  })

test('metadata has limits', t => {
  const many = Object.fromEntries(Array.from({ length: 65 }, (_, i) => [String(i), '']))
  for (const [Meta, text] of [
    [many, /at most 64/],
    [{ ['k'.repeat(129)]: '' }, /at most 128/],
    [{ k: 'v'.repeat(513) }, /at most 512/]
  ] as const)
    world.when(namespaceAggregate, set('new', { Meta })).refuses(t, 'namespace.invalid', text)
})

test('a link without a target is refused', t => {
  for (const link of [{ Name: 'none' }, { ID: id(2) }, {}])
    world
      .when(namespaceAggregate, set('new', { ACLs: { PolicyDefaults: [link], RoleDefaults: [] } }))
      .refuses(t, 'acl.link.unknown', /No such ACL policy/)
})

test('deletion marks the namespace once and keeps the first time', t => {
  world
    .when(namespaceAggregate, command('DeleteNamespace', null, at('team')))
    .gives(t, [
      'NamespaceUpserted team',
      { Namespace: { Description: 'd', DeletedAt: '2026-01-01T00:00:00Z', CreateIndex: 1, ModifyIndex: 7 } }
    ])
  world.when(namespaceAggregate, command('DeleteNamespace', null, at('going'))).gives(t)
})

test('default cannot be deleted, nor what does not exist, nor can what is being deleted be changed', t => {
  const remove = (name: string, partition?: string) => command('DeleteNamespace', null, at(name, partition))
  world.when(namespaceAggregate, remove('default')).refuses(t, 'namespace.built-in', /builtin/)
  world.when(namespaceAggregate, remove('default', 'p')).refuses(t, 'namespace.built-in', /builtin/)
  world.when(namespaceAggregate, remove('none')).refuses(t, 'namespace.not-found', /does not exist/)
  world.when(namespaceAggregate, set('going')).refuses(t, 'tenancy.deleting', /being deleted/)
})

test('only a partition takes its default namespace along, and only what is marked can be removed', t => {
  const along = (partition: string) => command('DeleteNamespaceOfPartition', null, at('default', partition))
  world
    .when(namespaceAggregate, along('p'))
    .gives(t, ['NamespaceUpserted default', { Namespace: { DeletedAt: '2026-01-01T00:00:00Z' } }])
  world.when(namespaceAggregate, along('default')).gives(t)
  world
    .when(namespaceAggregate, command('RemoveNamespace', null, at('going')))
    .gives(t, 'NamespaceDeleted going')
  world.when(namespaceAggregate, command('RemoveNamespace', null, at('team'))).gives(t)
})
