// Compaction of the shared log of a cluster.
import test from 'ava'
import { setImmediate } from 'node:timers/promises'
import type { KnownMember } from '../../../actors/processes/members.js'
import { compactionFloorOf, CompactionFloor } from '../../../actors/processes/compaction-floor.js'
import { memberOf } from '../../events/etcd/support.js'

const LIMITS = { keep: 10, copies: 2 }

/** Servers that take part, and some that are away, with what their disks hold. */
const known = (
  live: Readonly<Record<string, number>>,
  away: Readonly<Record<string, number>> = {}
): readonly KnownMember[] => [
  ...Object.entries(live).map(([id, flushed]) => ({
    member: memberOf(id, flushed),
    isLive: true,
    since: 0,
    heardAt: 0
  })),
  ...Object.entries(away).map(([id, flushed]) => ({
    member: memberOf(id, flushed),
    isLive: false,
    since: 0,
    heardAt: 0
  }))
]

test('what a server that takes part lacks, and the newest commits, stay', t => {
  t.is(compactionFloorOf(known({ a: 100, b: 100, c: 100 }), 100, LIMITS), 91)
  t.is(compactionFloorOf(known({ a: 100, b: 100, c: 60 }), 100, LIMITS), 61)
  t.is(compactionFloorOf(known({ a: 5, b: 5, c: 5 }), 5, LIMITS), 1)
})

test('a server that is away holds nothing back', t => {
  t.is(compactionFloorOf(known({ a: 100, b: 95 }, { c: 20 }), 100, LIMITS), 91)
})

test('what lies on too few disks stays, however long the others are away', t => {
  t.is(compactionFloorOf(known({ a: 100 }, { b: 40, c: 20 }), 100, LIMITS), 41)
  t.is(compactionFloorOf(known({ a: 100 }, { b: 40, c: 20 }), 100, { ...LIMITS, copies: 3 }), 21)
  t.is(compactionFloorOf(known({ a: 100, b: 90 }, { c: 20 }), 100, { ...LIMITS, copies: 5 }), 21)
})

test('a cluster of one server counts its one disk', t => {
  t.is(compactionFloorOf(known({ a: 100 }), 100, LIMITS), 91)
})

test('commits stay while no server is known to have stored them', t => {
  t.is(compactionFloorOf([], 100, LIMITS), 1)
})

test('what something was erased of goes with all that was shared with it, once enough servers hold that', async t => {
  let look = (): void => {}
  let erased = 0
  let flushed = 60
  const asked: number[] = []
  const floor = new CompactionFloor({
    shared: {
      compact: (_term, wanted) => {
        asked.push(wanted)
        // Ten were shared at a time.
        return Promise.resolve(wanted - ((wanted - 1) % 10))
      }
    },
    members: {
      get all() {
        return known({ a: 100, b: flushed })
      }
    },
    timers: {
      setTimeout: callback => {
        look = callback
        return ''
      },
      clearTimeout: () => {}
    },
    limits: { keep: 50, copies: 2 },
    term: () => ({ epoch: 1, nonce: 'n' }),
    head: () => 100,
    erased: () => erased,
    onFailure: error => t.fail(String(error))
  })
  floor.start()
  const wanted = async (): Promise<number | undefined> => {
    look()
    await setImmediate()
    return asked.at(-1)
  }
  t.is(await wanted(), 51)
  erased = 65
  t.is(await wanted(), 61)
  flushed = 100
  t.is(await wanted(), 101)
  t.is(await wanted(), 51)
})
