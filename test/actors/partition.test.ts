import test from 'ava'
import { partitionAggregate, partitionUpserted } from '../../actors/partition.js'
import { isPartitionEvent, type Partition } from '../../events/namespace.js'
import { command, given } from '../support/decision-spec.js'

const partition = (Name: string, parts: Partial<Partition> = {}) =>
  partitionUpserted({ Name, CreateIndex: 1, ModifyIndex: 1, ...parts })
const world = given(
  partition('default', { Description: 'Builtin Default Partition' }),
  partition('west', { Description: 'd' }),
  partition('going', { DeletedAt: '2026-01-01T00:00:00Z' })
)
const at = (name: string) => ({ tenancy: { partition: name, namespace: 'default' } })
const set = (name: string, Description = '', DisableGossip = false) =>
  command('SetPartition', { Description, DisableGossip }, at(name))
const stored = (asked: ReturnType<typeof set>): Partition => {
  const [event] = world.when(partitionAggregate, asked).events()
  if (!event || !isPartitionEvent(event)) throw new Error('no partition was stored')
  return event.Payload.Partition
}

test('a new partition comes with its namespace default', t => {
  world
    .when(partitionAggregate, set('new'))
    .gives(t, 'PartitionUpserted new', [
      'NamespaceUpserted default',
      { Namespace: { Name: 'default', Partition: 'new', CreateIndex: 4 } }
    ])
  t.deepEqual(stored(set('new', '', true)), {
    Name: 'new',
    DisableGossip: true,
    CreateIndex: 4,
    ModifyIndex: 4
  })
})

test('an update replaces what the partition says; default keeps its description when none is given', t => {
  t.deepEqual(stored(set('west')), { Name: 'west', CreateIndex: 1, ModifyIndex: 4 })
  t.is(stored(set('default')).Description, 'Builtin Default Partition')
})

test('names are DNS labels that are not reserved', t => {
  for (const name of ['', 'a_b', '*', 'root', 'a'.repeat(64)])
    world.when(partitionAggregate, set(name)).refuses(t, 'tenancy.invalid', /Invalid Partition/)
})

test('deletion marks a partition once; default stays; what is being deleted cannot be changed', t => {
  const remove = (name: string) => command('DeletePartition', null, at(name))
  world
    .when(partitionAggregate, remove('west'))
    .gives(t, [
      'PartitionUpserted west',
      { Partition: { Description: 'd', DeletedAt: '2026-01-01T00:00:00Z', CreateIndex: 1, ModifyIndex: 4 } }
    ])
  world.when(partitionAggregate, remove('going')).gives(t)
  world.when(partitionAggregate, remove('default')).refuses(t, 'partition.built-in', /builtin/)
  world.when(partitionAggregate, remove('none')).refuses(t, 'partition.not-found', /does not exist/)
  world.when(partitionAggregate, set('going')).refuses(t, 'tenancy.deleting', /being deleted/)
  world
    .when(partitionAggregate, command('RemovePartition', null, at('going')))
    .gives(t, 'PartitionDeleted going')
})
