// Random commands that take over what the primary datacenter has.
import fc from 'fast-check'
import type { Aggregate } from '../../actors/aggregate.js'
import { policyDeleted, policyUpserted } from '../../actors/policy.js'
import { replicationAggregate, type Replicate } from '../../actors/replication/replication.js'
import { tokenDeleted, tokenUpserted } from '../../actors/token.js'
import { DEFAULT_TENANCY, type Event } from '../../events/envelope.js'
import { move, type Move } from './arbitrary-move.js'
import { id } from './things.js'

/** With its events alone. */
const aggregate: Aggregate<Replicate> = {
  ...replicationAggregate,
  decide: (command, views, index) => replicationAggregate.decide(command, views, index).events
}

const policyChange = ([n, ends]: readonly [number, boolean]): Event => {
  const ID = id(200 + n)
  const content = {
    ID,
    Name: `p${n % 3}`,
    Description: 'copied',
    Rules: '',
    Datacenters: [],
    CreateIndex: 7,
    ModifyIndex: 9
  }
  const upserted = policyUpserted(DEFAULT_TENANCY, content)
  return ends ? policyDeleted(DEFAULT_TENANCY, upserted.Payload.ACLPolicy) : upserted
}

const tokenChange = ([n, ends]: readonly [number, boolean]): Event => {
  const upserted = tokenUpserted(DEFAULT_TENANCY, id(150 + n), {
    AccessorID: id(100 + n),
    Description: 'copied',
    Policies: [],
    Roles: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    Local: false,
    AuthMethod: '',
    CreateTime: '2026-03-01T12:00:00Z',
    CreateIndex: 7,
    ModifyIndex: 9
  })
  return ends ? tokenDeleted(DEFAULT_TENANCY, upserted.Payload.ACLToken) : upserted
}

const drawn = fc.tuple(fc.nat(3), fc.boolean())
const changes = fc.array(fc.oneof(drawn.map(policyChange), drawn.map(tokenChange)), { maxLength: 4 })

export const replicationMoves: readonly fc.Arbitrary<Move>[] = [
  move(fc.tuple(changes, fc.nat(2)), aggregate, ([told, n], parts) => ({
    ...parts,
    name: 'Replicate' as const,
    data: {
      changes: told,
      position: {
        Datacenter: 'dc1',
        Log: 'ab'.repeat(16),
        Incarnation: 1,
        Index: n,
        WithTokens: true,
        Indexes: { Policies: n, Roles: 0, Tokens: n, ConfigEntries: 0 }
      }
    }
  }))
]
