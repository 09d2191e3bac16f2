// Decisions on the restoring of a snapshot (docs/decisions/0022).
import test from 'ava'
import { snapshotAggregate } from '../../../actors/snapshot/restore-snapshot.js'
import type { Event } from '../../../events/envelope.js'
import { command, given } from '../../support/decision-spec.js'
import { policyFixture, id } from '../acl-resources.js'

const restore = { Digest: 'ab'.repeat(32), SnapshotIndex: 70 }
const begin = command('RestoreSnapshot', restore)
const piece = (...changes: readonly Event[]) => command('RestoreSnapshotPiece', { changes })
const end = (isComplete: boolean) => command('EndSnapshotRestore', { isComplete })
const begun = given().when(snapshotAggregate, begin).events()

test('a restore begins with the digest and the index of its archive', t =>
  given()
    .when(snapshotAggregate, begin)
    .gives(t, ['SnapshotRestoreBegun restore', { Restore: restore }]))

test('a second restore waits until the first has ended', t => {
  given(...begun)
    .when(snapshotAggregate, begin)
    .refuses(t, 'snapshot.conflict', /Another snapshot is being restored/)
  const ended = given(...begun)
    .when(snapshotAggregate, end(true))
    .events()
  given(...begun, ...ended)
    .when(snapshotAggregate, begin)
    .gives(t, 'SnapshotRestoreBegun restore')
})

for (const Complete of [true, false])
  test(`the end of a restore tells which one it was, and that it is ${Complete ? '' : 'in'}complete`, t =>
    given(...begun)
      .when(snapshotAggregate, end(Complete))
      .gives(t, ['SnapshotRestoreEnded restore', { Restore: { ...restore, Complete } }]))

test('where nothing is restored there is nothing to end', t =>
  given().when(snapshotAggregate, end(true)).gives(t))

test('a piece is what the archive says, in its order', t =>
  given(...begun)
    .when(
      snapshotAggregate,
      piece(policyFixture(id(2), 'web', { Rules: 'x' }), policyFixture(id(1), 'batch'))
    )
    .gives(
      t,
      [`ACLPolicyUpserted ${id(2)}`, { ACLPolicy: { Name: 'web', Rules: 'x', CreateIndex: 1 } }],
      [`ACLPolicyUpserted ${id(1)}`, { ACLPolicy: { Name: 'batch' } }]
    ))

test('no index of a piece lies beyond that of its commit; those before it stay', t =>
  given(...begun)
    .when(snapshotAggregate, piece(policyFixture(id(1), 'web', { CreateIndex: 1, ModifyIndex: 70 })))
    .gives(t, [`ACLPolicyUpserted ${id(1)}`, { ACLPolicy: { CreateIndex: 1, ModifyIndex: 2 } }]))
