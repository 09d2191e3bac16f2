// The encoding of a commit with many events, beside other work of the thread.
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { type Commit, type Event, NO_CALLER } from '../../events/envelope.js'
import { AppendBatch } from '../../events/log/append-batch.js'
import { RecordGroup } from '../../events/log/record-group.js'
import { SecretsVault } from '../../events/log/secrets.js'

const plainVault = new SecretsVault()
const EVENTS = 20_000
/** The events that one turn may read. */
const MOST_READ = 5000

test('no turn reads many events of a commit, and its record is that of one turn', async t => {
  const read = { inTurn: 0, most: 0 }
  const event = (n: number): Event =>
    new Proxy<Event>(
      {
        Topic: 'KV',
        Type: 'KVDelete',
        Key: `key-${n}`,
        Namespace: 'default',
        Partition: 'default',
        FilterKeys: null,
        Payload: {},
        ...(n % 7 === 0 ? { Secrets: { secret: 'value' } } : {})
      },
      {
        get: (target, field) => {
          if (field === 'Secrets') read.most = Math.max(read.most, ++read.inTurn)
          return Reflect.get(target, field)
        }
      }
    )
  const Events = Array.from({ length: EVENTS }, (_, n) => event(n))
  const commit: Commit = { Index: 1, Time: '2026-01-01T00:00:00Z', By: NO_CALLER, Events }
  const group = new RecordGroup()
  const batch = new AppendBatch(group, true)
  batch.addLate([commit], false)
  const before = Buffer.alloc(32)
  const state = { isEncoded: false }
  const encoded = batch.encode(group, before, plainVault).finally(() => {
    state.isEncoded = true
  })
  while (!state.isEncoded) {
    read.inTurn = 0
    await setImmediate()
  }
  await encoded
  t.true(read.most <= MOST_READ, `${read.most} events were read in one turn`)
  const atOnce = new RecordGroup()
  atOnce.add([commit], before, plainVault, false)
  t.is(group.size, atOnce.size)
  t.is(group.count, 1)
})
