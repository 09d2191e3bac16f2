// A log that follows what is shared.
import test from 'ava'
import { SharedMismatch } from '../../../events/log/cluster/shared-log.js'
import { RecordRefused } from '../../../events/log/received.js'
import { LogServer, peerOf } from '../../support/log-server.js'
import { SharedMemory } from '../../support/shared-memory.js'

const has = async ({ log }: LogServer, index: number): Promise<void> => {
  while (log.durableIndex < index) await new Promise(setImmediate)
}

/** A leader that has decided so many commits. */
async function leaderOf(memory: SharedMemory, count: number): Promise<LogServer> {
  const leader = new LogServer('a', memory)
  await leader.lead()
  for (let i = 1; i <= count; i++) await leader.decide(`commit ${i}`)
  return leader
}

async function copy(from: LogServer, to: LogServer): Promise<void> {
  for await (const records of from.log.records(1)) await to.log.ingest(records, () => {})
}

test('a log that follows has everything that there was, and everything that comes', async t => {
  const memory = new SharedMemory()
  const leader = await leaderOf(memory, 3)
  const follower = new LogServer('b', memory)
  void follower.follow()
  await has(follower, 3)
  await leader.decide('next')
  await has(follower, 4)
  await follower.stop()
  t.is(follower.log.headHash, leader.log.headHash)
})

test('what cannot be reached is followed again when it can be, and told once', async t => {
  const memory = new SharedMemory()
  const leader = await leaderOf(memory, 1)
  const follower = new LogServer('b', memory)
  const told: string[] = []
  let pauses = 0
  const pause = async (): Promise<void> => {
    await new Promise(setImmediate)
    if (++pauses === 3) follower.shared.heal()
  }
  void follower.follow({ pause, report: ({ text }) => told.push(text) })
  await has(follower, 1)
  follower.shared.cut()
  await leader.decide('next')
  await has(follower, 2)
  await follower.stop()
  t.is(told.length, 1)
  t.regex(told[0] ?? '', /the cluster cannot be followed now/)
})

test('what is shared no more comes from another server', async t => {
  const memory = new SharedMemory()
  const leader = await leaderOf(memory, 6)
  memory.compact(4)
  const follower = new LogServer('b', memory)
  const asked: number[] = []
  const peers = peerOf(leader.log)
  void follower.follow({
    peers: {
      records: (from, signal) => {
        asked.push(from)
        return peers.records(from, signal)
      }
    }
  })
  await has(follower, 6)
  await follower.stop()
  t.deepEqual(asked, [1])
  t.is(follower.log.headHash, leader.log.headHash)
})

test('a log that is not the beginning of what is shared says at which commit, and stays as it is', async t => {
  const memory = new SharedMemory()
  const leader = await leaderOf(memory, 2)
  const other = new LogServer('b', new SharedMemory())
  await other.lead()
  await other.decide('other')
  const foreign = new LogServer('c', memory)
  await copy(other, foreign)
  await t.throwsAsync(foreign.follow(), {
    instanceOf: RecordRefused,
    message: /commit 2 .* hash of commit 1/
  })
  t.is(foreign.log.headHash, other.log.headHash)
  t.is(memory.head.index, leader.log.durableIndex)
})

test('a log that is longer than what is shared, or as long and another one, is refused', async t => {
  const memory = new SharedMemory()
  const leader = await leaderOf(memory, 4)
  leader.link.follow()
  memory.putBack(3)
  await t.throwsAsync(leader.follow(), {
    instanceOf: SharedMismatch,
    message: /this server has commit 4, and the cluster ends at commit 2.*restore-head/
  })
  const other = await leaderOf(new SharedMemory(), 2)
  const foreign = new LogServer('c', memory)
  await copy(other, foreign)
  memory.head = { index: 2, hash: Buffer.alloc(32, 7) }
  await t.throwsAsync(foreign.follow(), { instanceOf: SharedMismatch, message: /commit 2 of this server/ })
})
