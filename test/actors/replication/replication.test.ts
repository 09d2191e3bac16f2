// Import of resources of the primary datacenter.
import test from 'ava'
import type { PolicyContent } from '../../../actors/policy.js'
import { replicationAggregate } from '../../../actors/replication/replication.js'
import type { TokenContent } from '../../../actors/token.js'
import { DEFAULT_TENANCY, type Event } from '../../../events/envelope.js'
import type { ReplicationPosition } from '../../../events/replication.js'
import { COMMAND_TIME, viewsAfter } from '../../support/decision-spec.js'
import { policyFixture, tokenFixture, builtinPolicy, id } from '../acl-resources.js'

/** As it is in the primary. */
const THERE = { CreateIndex: 7, ModifyIndex: 90 }
const policy = (n: number, name: string, parts: Partial<PolicyContent> = {}): Event =>
  policyFixture(id(n), name, { ...THERE, ...parts })
const token = (n: number, secret: string, parts: Partial<TokenContent> = {}): Event =>
  tokenFixture(id(n), secret, { Policies: [{ ID: id(999), Name: 'not here' }], ...THERE, ...parts })
const ended = (upserted: Event): Event => ({ ...upserted, Type: 'ACLPolicyDeleted' })

const position: ReplicationPosition = {
  Datacenter: 'dc1',
  Log: 'ab'.repeat(16),
  Incarnation: 1,
  Index: 90,
  Hash: 'ef'.repeat(32),
  WithTokens: true,
  Indexes: { Policies: 90, Roles: 0, Tokens: 0, ConfigEntries: 0 }
}

const replicate = (
  before: readonly Event[],
  changes: readonly Event[],
  to?: ReplicationPosition,
  isFullCopy?: boolean
) => {
  const views = viewsAfter(before)
  const command = {
    name: 'Replicate' as const,
    tenancy: DEFAULT_TENANCY,
    caller: { accessor: '', address: '', requestId: '' },
    at: COMMAND_TIME,
    data: { changes, position: to, isFullCopy }
  }
  const { events, leftOut } = replicationAggregate.decide(command, views, views.index + 1)
  return { events, leftOut, names: events.map(({ Type, Key }) => `${Type} ${Key}`) }
}

test('a copy has the indexes of this log, and all else of the primary’s', t => {
  const before = policy(1, 'a', { CreateIndex: 1, ModifyIndex: 1 })
  const changed = policy(1, 'a', { Description: 'new' })
  const { events } = replicate([before], [changed, policy(2, 'b')])
  t.like(events[0]?.Payload, { ACLPolicy: { Description: 'new', CreateIndex: 1, ModifyIndex: 2 } })
  t.like(events[1]?.Payload, { ACLPolicy: { Name: 'b', CreateIndex: 2, ModifyIndex: 2 } })
  t.deepEqual(events[1]?.FilterKeys, ['b'])
  const [copy] = replicate([], [token(1, 'secret')]).events
  t.deepEqual(copy?.Secrets, { SecretID: 'secret' })
  t.deepEqual(copy?.FilterKeys, [id(999)])
})

test('importing an identical resource creates no event', t => {
  const here = policy(1, 'a', { CreateIndex: 1, ModifyIndex: 1 })
  t.deepEqual(replicate([here], [policy(1, 'a')]).names, [])
  t.deepEqual(replicate([], [policy(1, 'a'), policy(1, 'a')]).names, [`ACLPolicyUpserted ${id(1)}`])
  t.deepEqual(replicate([token(1, 's')], [token(1, 's')]).names, [])
  t.deepEqual(replicate([token(1, 's')], [token(1, 'other')]).names, [`ACLTokenUpserted ${id(1)}`])
  t.deepEqual(replicate([], [ended(policy(1, 'a'))]).names, [])
})

test('each change is made on what those before it have made', t => {
  const here = policy(1, 'a')
  const renamed = policy(1, 'z')
  t.deepEqual(replicate([here], [renamed, policy(2, 'a')]).names, [
    `ACLPolicyUpserted ${id(1)}`,
    `ACLPolicyUpserted ${id(2)}`
  ])
  t.deepEqual(replicate([], [here, ended(here), here]).names, [
    `ACLPolicyUpserted ${id(1)}`,
    `ACLPolicyDeleted ${id(1)}`,
    `ACLPolicyUpserted ${id(1)}`
  ])
})

test('who has the name or secret of a copy ends, unless it is of this datacenter alone', t => {
  t.deepEqual(replicate([policy(1, 'a')], [policy(2, 'a')]).names, [
    `ACLPolicyDeleted ${id(1)}`,
    `ACLPolicyUpserted ${id(2)}`
  ])
  t.deepEqual(replicate([token(1, 's')], [token(2, 's')]).names, [
    `ACLTokenDeleted ${id(1)}`,
    `ACLTokenUpserted ${id(2)}`
  ])
  // The copy was taken during a change: the name moved from one resource to the other.
  for (const before of [[], [policy(1, 'z')]])
    t.deepEqual(replicate(before, [policy(1, 'a'), policy(2, 'A')]).names, [
      `ACLPolicyUpserted ${id(1)}`,
      `ACLPolicyDeleted ${id(1)}`,
      `ACLPolicyUpserted ${id(2)}`
    ])
  t.deepEqual(replicate([], [token(1, 's'), token(2, 's')]).names.length, 3)
  for (const imported of [token(2, 's'), token(1, 'other')]) {
    const { names, leftOut } = replicate([token(1, 's', { Local: true })], [imported])
    t.deepEqual(names, [])
    t.regex(leftOut.join(), /^ACLToken ".+" was left out: one of this datacenter alone/)
  }
})

test('nothing ends for a copy that is left out', t => {
  const elsewhere = { ...token(2, 'old'), Namespace: 'team' }
  const { names, leftOut } = replicate([elsewhere, token(1, 's', { Local: true })], [token(2, 's')])
  t.deepEqual(names, [])
  t.is(leftOut.length, 1)
  t.is(replicate([elsewhere], [token(2, 's')]).names.length, 2)
})

test('what comes with every server never ends', t => {
  t.deepEqual(replicate([builtinPolicy()], [ended(builtinPolicy())]).names, [])
})

test('nothing is made in a namespace that is not there', t => {
  const elsewhere = { ...policy(1, 'a'), Namespace: 'team' }
  const { names, leftOut } = replicate([], [elsewhere])
  t.deepEqual(names, [])
  t.regex(leftOut.join(), /its namespace is not there/)
})

test('the position is stored with changes, and alone only after a large difference', t => {
  const moved = 'ReplicationMoved primary'
  t.deepEqual(replicate([], [policy(1, 'a')], position).names, [`ACLPolicyUpserted ${id(1)}`, moved])
  const [known] = replicate([], [], position).events
  if (!known) return t.fail()
  const alone = (more: object, isFullCopy?: boolean): readonly string[] =>
    replicate([known], [], { ...position, ...more }, isFullCopy).names
  t.deepEqual(alone({ Index: 91 }), [])
  const other = { Index: 91, Hash: '12'.repeat(32) }
  t.deepEqual(alone(other), [])
  t.deepEqual(alone(other, true), [moved])
  t.deepEqual(alone({}, true), [])
  for (const more of [
    { Index: 10_090 },
    { Index: 5 },
    { Log: 'cd'.repeat(16) },
    { Incarnation: 2 },
    { WithTokens: false }
  ])
    t.deepEqual(alone(more), [moved])
  t.deepEqual(replicate([known], [policy(1, 'a')], { ...position, Index: 91 }).names.at(-1), moved)
})

test('the position records skipped resources', t => {
  const { events } = replicate([token(1, 's', { Local: true })], [token(2, 's')], position)
  t.like(events[0]?.Payload, { Replication: { Index: 90, LeftOut: true } })
  const [moved] = events
  if (!moved) return t.fail()
  t.deepEqual(replicate([moved], [], { ...position, LeftOut: true }).names, [])
  t.deepEqual(
    replicate([moved], [], position).events.map(({ Payload }) => Payload),
    [{ Replication: position }]
  )
})
