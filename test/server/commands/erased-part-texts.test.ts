// Whether a log may lack what it lacks.
import test from 'ava'
import { erasureAggregate } from '../../../actors/erasure/erasure.js'
import { SERVER } from '../../../actors/aggregate.js'
import { historyErased } from '../../../events/erasure.js'
import { DEFAULT_TENANCY } from '../../../events/envelope.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { ErasedParts } from '../../../server/erased-parts.js'
import { commitOf } from '../../events/commits.js'
import { viewsAfter } from '../../support/decision-spec.js'

const token = (index: number, Type: string) => {
  const commit = commitOf(index, { key: 'one', secrets: { SecretID: 'hush' } })
  return { ...commit, Events: commit.Events.map(event => ({ ...event, Type })) }
}

const found = async (log: MemoryEventLog): Promise<ErasedParts> => {
  const parts = new ErasedParts()
  for await (const records of log.records(1)) for (const record of records) parts.add(record)
  return parts
}

const damaged = { message: /commit 1 lacks a part that no later commit erases/ }

test('a payload may be missing where a later commit erases it', async t => {
  const log = new MemoryEventLog()
  await log.append([token(1, 'ACLTokenUpserted'), token(2, 'ACLTokenDeleted')])
  await log.erase([{ index: 1, events: [0] }])
  await t.throwsAsync((await found(log)).prove(log), damaged)
  const erasure = { Topic: 'ACLToken', Namespace: '', Partition: 'default', Key: 'one', UpTo: 2 }
  const data = { erasure, checkedHolds: 0 }
  const Events = erasureAggregate.decide(
    { name: 'EraseHistory', tenancy: DEFAULT_TENANCY, caller: SERVER, at: 0, data },
    viewsAfter([]),
    3
  )
  await log.append([{ ...commitOf(3), Events }])
  const parts = await found(log)
  t.is(parts.count, 2)
  await t.notThrowsAsync(parts.prove(log))
})

test('secrets may be missing of what has ended', async t => {
  const log = new MemoryEventLog()
  await log.append([token(1, 'ACLTokenUpserted')])
  await log.erase([{ index: 1, secrets: [0] }])
  await t.throwsAsync((await found(log)).prove(log), damaged)
  await log.append([token(2, 'ACLTokenDeleted')])
  await t.notThrowsAsync((await found(log)).prove(log))
})

test('who asked may be missing only where a later commit erases it', async t => {
  const log = new MemoryEventLog()
  await log.append([token(1, 'ACLTokenUpserted')])
  await log.erase([{ index: 1, who: true }])
  await t.throwsAsync((await found(log)).prove(log), damaged)
  const order = { Part: 'who', Accessor: '14fae9d6-bf21-4003-8506-0d2ff1b0e0a4', UpTo: 1 } as const
  await log.append([{ ...commitOf(2), Events: [historyErased('2', order)] }])
  await t.notThrowsAsync((await found(log)).prove(log))
})
