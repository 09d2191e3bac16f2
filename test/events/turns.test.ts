// Work on many items that lets other work run in between.
import test from 'ava'
import { crc32 } from 'node:zlib'
import { checksumOf, pagesOf } from '../../events/turns.js'

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

test('pages hold all items in order, and end after the last one', async t => {
  for (const count of [0, 1, 1023, 1024, 1025, 5000]) {
    const found: number[] = []
    for await (const page of pagesOf(numbers(count))) {
      t.true(page.length <= 1024)
      found.push(...page)
    }
    t.deepEqual(found, numbers(count))
  }
})

/** Returns the number of turns of the event loop that begin during some work. */
const turnsDuring = async (work: () => Promise<void>): Promise<number> => {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isDone = true
  return turns
}

test('other work runs between pages', async t => {
  let pages = 0
  const turns = await turnsDuring(async () => {
    for await (const _ of pagesOf(numbers(10_240))) pages++
  })
  t.is(pages, 10)
  t.true(turns >= 9)
})

const MIB = 1024 * 1024

test('the checksum of few bytes is computed at once', t => {
  const bytes = Buffer.alloc(4 * MIB, 'abc')
  t.is(checksumOf(bytes), crc32(bytes))
  t.is(checksumOf(Buffer.alloc(0)), 0)
})

test('other work runs while the checksum of many bytes is computed', async t => {
  for (const length of [4 * MIB + 1, 8 * MIB, 21 * MIB]) {
    const bytes = Buffer.alloc(length, 'abc')
    const turns = await turnsDuring(async () => void t.is(await checksumOf(bytes), crc32(bytes)))
    t.true(turns >= Math.ceil(length / (4 * MIB)) - 1)
  }
})
