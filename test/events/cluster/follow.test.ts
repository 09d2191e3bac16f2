// A log that follows what is shared.
import test from 'ava'
import { PeersLackCommits, type PeerLogs } from '../../../events/log/cluster/log-follower.js'
import { SharedMismatch, SharedUnreachable } from '../../../events/log/cluster/shared-log.js'
import { RecordRefused } from '../../../events/log/received-records.js'
import type { StoredRecord } from '../../../events/log/record.js'
import { LogServer } from '../../support/log-server.js'
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

test('an unreachable shared log is reported once and followed again later', async t => {
  const memory = new SharedMemory()
  const leader = await leaderOf(memory, 1)
  const follower = new LogServer('b', memory)
  const warnings: string[] = []
  let pauses = 0
  const pause = async (): Promise<void> => {
    await new Promise(setImmediate)
    if (++pauses === 3) follower.shared.heal()
  }
  void follower.follow({ pause, report: ({ text }) => warnings.push(text) })
  await has(follower, 1)
  follower.shared.cut()
  await leader.decide('next')
  await has(follower, 2)
  await follower.stop()
  t.is(warnings.length, 1)
  t.regex(warnings[0] ?? '', /the cluster cannot be followed now/)
})

/** A log with two commits, of six, after the compaction of the first four. */
async function late(): Promise<{ readonly leader: LogServer; readonly follower: LogServer }> {
  const memory = new SharedMemory()
  const leader = await leaderOf(memory, 2)
  const follower = new LogServer('b', memory)
  void follower.follow()
  await has(follower, 2)
  await follower.stop()
  for (let i = 3; i <= 6; i++) await leader.decide(`commit ${i}`)
  memory.compact(5)
  return { leader, follower }
}

test('compacted commits come from another server', async t => {
  const { leader, follower } = await late()
  const asked: number[] = []
  const records = (from: number): AsyncIterable<readonly StoredRecord[]> => {
    asked.push(from)
    return leader.log.records(from)
  }
  void follower.follow({ peers: { records }, replace: async () => t.fail() })
  await has(follower, 6)
  await follower.stop()
  t.deepEqual(asked, [3])
  t.is(follower.log.headHash, leader.log.headHash)
})

test('a log that no other server can add to is replaced by the files of one, and so is one that begins', async t => {
  const { leader, follower } = await late()
  const begun = new LogServer('c', leader.shared.memory)
  for (const each of [follower, begun]) {
    const peers: PeerLogs = {
      records: from => {
        throw new PeersLackCommits(from)
      }
    }
    let tries = 0
    const replace = async (): Promise<void> => {
      if (++tries === 1) throw new SharedUnreachable('no server can be reached')
      await copy(leader, each)
    }
    void each.follow({ peers, replace })
    await has(each, 6)
    await leader.decide('next')
    await has(each, leader.log.durableIndex)
    await each.stop()
    t.is(tries, 2)
    t.is(each.log.headHash, leader.log.headHash)
  }
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
