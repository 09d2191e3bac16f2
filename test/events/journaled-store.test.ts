// A store behind a journal: acknowledged with the journal, stored in the background, the same records wherever they are.
import test from 'ava'
import { JournaledStore } from '../../events/log/journaled-store.js'
import { HALF_BYTES, readJournal } from '../../events/log/journal.js'
import { temporaryFolder } from './folders.js'
import { chained, FakeStore, hashOfLast, hashOfRest, plain } from './records.js'

const open = (store: FakeStore, folder: string, readOnly = false): JournaledStore =>
  new JournaledStore(store, { folder, found: readJournal(folder), readOnly })

/** A promise and what fulfils it. */
const held = (): { readonly gate: Promise<void>; readonly release: () => void } => {
  let release = (): void => {}
  const gate = new Promise<void>(resolve => (release = resolve))
  return { gate, release }
}

const candidates = async (store: JournaledStore, hash: number): Promise<number[]> => {
  const found: number[] = []
  for await (const index of store.candidates(hash)) found.push(index)
  return found
}

test('records read the same before, while and after they are stored', async t => {
  const store = new FakeStore()
  const { gate, release } = held()
  store.gate = gate
  const journaled = open(store, temporaryFolder())
  const records = chained(1, 9, undefined, { secrets: true })
  await journaled.write(records.slice(0, 5))
  await journaled.write(records.slice(5))
  const check = async (): Promise<void> => {
    t.is(journaled.headIndex(), 9)
    t.deepEqual(plain(journaled.page(1, 9)), plain(records))
    t.deepEqual(plain(journaled.page(4, 7)), plain(records.slice(3, 7)))
    t.deepEqual(journaled.peek(7), records[6]?.record)
    t.deepEqual(journaled.peekSecrets(8), records[7]?.secrets)
    t.is(journaled.peek(10), undefined)
    t.deepEqual(await candidates(journaled, hashOfRest(1)), [1, 4, 7])
  }
  t.is(store.headIndex(), 0)
  await check()
  release()
  await journaled.close()
  t.is(store.headIndex(), 9)
  await check()
})

test('what a process left in its journal is taken up by the next, and can be read beside it', async t => {
  const folder = temporaryFolder()
  const left = new FakeStore()
  left.failure = new Error('no space left')
  const first = open(left, folder)
  const records = chained(1, 5, undefined, { secrets: true })
  await first.write(records)
  await first.close()
  t.is(left.headIndex(), 0)
  const reader = open(new FakeStore(), folder, true)
  t.deepEqual(plain(reader.page(1, 5)), plain(records))
  t.deepEqual(await candidates(reader, hashOfRest(2)), [2, 5])
  await reader.close()
  const store = new FakeStore()
  const next = open(store, folder)
  t.is(next.headIndex(), 5)
  const more = chained(6, 2, hashOfLast(records))
  await next.write(more)
  await next.close()
  t.deepEqual(plain(store.records), plain([...records, ...more]))
})

test('a reader moves on to what the writer has stored', async t => {
  const folder = temporaryFolder()
  const store = new FakeStore()
  store.failure = new Error('no space left')
  const records = chained(1, 5)
  const writer = open(store, folder)
  await writer.write(records)
  await writer.close()
  const reader = open(store, folder, true)
  t.is(reader.headIndex(), 5)
  store.records.push(...records.slice(0, 3))
  t.is(reader.headIndex(), 5)
  t.deepEqual(plain(reader.page(1, 5)), plain(records.slice(0, 3)))
  t.deepEqual(plain(reader.page(4, 5)), plain(records.slice(3)))
  store.records.push(...records.slice(3), ...chained(6, 1, hashOfLast(records)))
  t.is(reader.headIndex(), 6)
  t.is(reader.page(4, 6).length, 3)
  await reader.close()
})

test('when records cannot be stored, later writes are refused, until it is reopened; nothing acknowledged is lost', async t => {
  const store = new FakeStore()
  const journaled = open(store, temporaryFolder())
  const records = chained(1, 3)
  await journaled.write(records)
  store.failure = new Error('no space left')
  const more = chained(4, 1, hashOfLast(records), { size: HALF_BYTES * 0.9 })
  const next = chained(5, 1, hashOfLast(more), { size: HALF_BYTES * 0.9 })
  const last = chained(6, 1, hashOfLast(next), { size: HALF_BYTES * 0.9 })
  await journaled.write(more)
  await t.throwsAsync(
    async () => {
      await journaled.write(next)
      await journaled.write(last)
    },
    { message: 'no space left' }
  )
  await t.throwsAsync(journaled.write(last), { message: 'no space left' })
  const head = journaled.headIndex()
  t.deepEqual(plain(journaled.page(1, 4)), plain([...records, ...more]))
  await t.throwsAsync(journaled.reopen(head), { message: 'no space left' })
  store.failure = undefined
  await journaled.reopen(head)
  t.is(store.headIndex(), head)
  const again = chained(head + 1, 1, hashOfLast(store.records))
  await journaled.write(again)
  await journaled.close()
  t.deepEqual(plain(store.records.slice(0, 4)), plain([...records, ...more]))
  t.deepEqual(plain(store.records.slice(head)), plain(again))
})

test('a batch that the journal cannot hold goes to the store, after all before it', async t => {
  const store = new FakeStore()
  const journaled = open(store, temporaryFolder())
  const small = chained(1, 2)
  const large = chained(3, 2, hashOfLast(small), { size: HALF_BYTES })
  const later = chained(5, 1, hashOfLast(large))
  await journaled.write(small)
  await journaled.write(large)
  t.is(store.headIndex(), 4)
  await journaled.write(later)
  await journaled.close()
  t.deepEqual(plain(store.records), plain([...small, ...large, ...later]))
})

test('a write waits for room in the journal where the store is slow', async t => {
  const store = new FakeStore()
  const { gate, release } = held()
  store.gate = gate
  const journaled = open(store, temporaryFolder())
  const all = [chained(1, 1, undefined, { size: HALF_BYTES * 0.9 })]
  for (let i = 1; i < 6; i++)
    all.push(chained(i + 1, 1, hashOfLast(all[i - 1] ?? []), { size: HALF_BYTES * 0.9 }))
  let written = 0
  const writing = (async () => {
    for (const batch of all) {
      await journaled.write(batch)
      written++
      if (written === 2) release()
      t.true(written <= 2 || store.headIndex() >= written - 2)
    }
  })()
  await writing
  await journaled.close()
  t.deepEqual(plain(store.records), plain(all.flat()))
})
