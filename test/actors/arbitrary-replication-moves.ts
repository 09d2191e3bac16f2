// Random commands that copy from the primary datacenter, and leave it.
import fc from 'fast-check'
import type { Aggregate } from '../../actors/aggregate.js'
import { replicationAggregate, type ReplicationCommand } from '../../actors/replication/replication.js'
import type { Event } from '../../events/envelope.js'
import { move, type Move } from './arbitrary-move.js'
import { policyFixture, tokenFixture, id } from './acl-resources.js'

/** With its events alone. */
const aggregate: Aggregate<ReplicationCommand> = {
  ...replicationAggregate,
  decide: (command, views, index) => replicationAggregate.decide(command, views, index).events
}

const change = (upserted: Event, ends: boolean): Event =>
  ends ? { ...upserted, Type: upserted.Type.replace('Upserted', 'Deleted') } : upserted

const drawn = fc.tuple(fc.nat(3), fc.boolean())
const changes = fc.array(
  fc.oneof(
    drawn.map(([n, ends]) =>
      change(policyFixture(id(200 + n), `p${n % 3}`, { Description: 'copied' }), ends)
    ),
    drawn.map(([n, ends]) => change(tokenFixture(id(100 + n), id(150 + n), { Description: 'copied' }), ends))
  ),
  { maxLength: 4 }
)

export const replicationMoves: readonly fc.Arbitrary<Move>[] = [
  move(fc.constant(null), aggregate, (data, parts) => ({ ...parts, name: 'LeavePrimary' as const, data })),
  move(fc.tuple(changes, fc.nat(2)), aggregate, ([drawnChanges, n], parts) => ({
    ...parts,
    name: 'Replicate' as const,
    data: {
      changes: drawnChanges,
      position: {
        Datacenter: 'dc1',
        Log: 'ab'.repeat(16),
        Incarnation: 1,
        Index: n,
        Hash: String(n).repeat(64),
        WithTokens: true,
        Indexes: { Policies: n, Roles: 0, Tokens: n, ConfigEntries: 0 }
      }
    }
  }))
]
