// Pruning on a follower of a cluster.
import { decisionRules } from '../../../actors/aggregates.js'
import test, { type ExecutionContext } from 'ava'
import { Committer } from '../../../actors/committer.js'
import { LogRetention } from '../../../actors/processes/log-retention.js'
import { ActorSystem } from '../../../actors/system.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { createEvent, type Event } from '../../../events/envelope.js'
import { RESTORE_KEY, SNAPSHOT_TOPIC } from '../../../events/snapshot.js'
import { logRetained, type Retention } from '../../../events/retention.js'
import { SetClock } from '../../../library/testing/set-clock.js'
import { ClockWatch, Deadlines, Timers } from '../../../actors/clock.js'
import { Views } from '../../../projections/read-models.js'
import { settingsOfTests } from '../../support/decision-spec.js'
import { until } from '../../support/wait.js'

const By = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }
const Time = '2026-01-01T00:00:00Z'
const ANNOUNCED: Retention = { Index: 4, Base: 'ab'.repeat(32), LetGo: 3 }

const LATER: Retention = { Index: 6, Base: 'cd'.repeat(32), LetGo: 5 }

const restoreEvent = (type: string, facts: object): Event =>
  createEvent({
    Topic: SNAPSHOT_TOPIC,
    Type: type,
    Key: RESTORE_KEY,
    Payload: { Restore: { Digest: 'ab'.repeat(32), SnapshotIndex: 1, ...facts } }
  })

interface Peer {
  readonly decides?: boolean
  readonly fetchBase: (announced: Retention) => Promise<void>
}

/** Starts the retention of a server whose log has 5 commits. `announce` appends an announcement of another server, and `append` a commit. */
const startRetention = async (t: ExecutionContext, { decides = false, fetchBase }: Peer) => {
  const log = new MemoryEventLog()
  const views = new Views(settingsOfTests)
  const committer = new Committer(log, views)
  const clock = new SetClock({ runs: false })
  const deadlines = new Deadlines(clock, new ClockWatch(clock))
  const append = async (...Events: readonly Event[]): Promise<void> => {
    committer.commit({ Index: views.index + 1, Time, By, Events })
    await committer.durable()
  }
  for (let index = 1; index <= 5; index++) await append()
  const here: Retention[] = []
  const made: number[] = []
  const kept: number[] = []
  const retention = new LogRetention(
    { log, views, system: new ActorSystem(decisionRules, views, committer) },
    {
      limits: { age: 0, bytes: 0, commits: decides ? 0 : 1, index: 0 },
      cursorLimit: async () => 0,
      onCursorsRetaining: () => {},
      onHeld: () => {},
      makeBase: async index => {
        made.push(index)
        return 'ef'.repeat(32)
      },
      hasBase: async ({ Base }) => here.some(base => base.Base === Base),
      keepBase: async index => void kept.push(index),
      now: () => 0,
      onDone: () => {},
      onFailure: () => {},
      others: {
        decides: () => decides,
        timers: new Timers(deadlines),
        fetchBase: async announced => {
          await fetchBase(announced)
          here.push(announced)
        }
      }
    }
  )
  t.teardown(() => {
    retention.stop()
    committer.stop()
    deadlines.stop()
  })
  const announce = (announced: Retention): Promise<void> => append(logRetained(announced))
  return { log, views, retention, announce, append, here, made, kept }
}

test('a follower prunes only announced commits after it has the base snapshot, and creates none', async t => {
  let hasPeer = false
  const { log, retention, announce, here, made } = await startRetention(t, {
    fetchBase: async () => {
      if (!hasPeer) throw new Error('no server can be reached')
    }
  })
  await announce(ANNOUNCED)
  retention.look()
  await new Promise(setImmediate)
  t.is(log.firstIndex, 1)
  hasPeer = true
  retention.look()
  await until('it has pruned', () => log.firstIndex === 4)
  t.deepEqual(here, [ANNOUNCED])
  t.deepEqual(made, [])
})

test('a base snapshot that is announced while an earlier one is fetched is not taken for here', async t => {
  const { log, retention, announce, here, kept } = await startRetention(t, {
    fetchBase: async announced => {
      if (announced.Index !== ANNOUNCED.Index) throw new Error('the disk is full')
      await announce(LATER)
    }
  })
  await announce(ANNOUNCED)
  retention.look()
  await until('it has pruned', () => log.firstIndex === 4)
  await t.throwsAsync(retention.obtainBase(), { message: 'the disk is full' })
  t.is(log.firstIndex, 4)
  t.deepEqual([here, kept], [[ANNOUNCED], [ANNOUNCED.Index]])
})

test('the server that decides takes a base snapshot of others, and creates one if none has it', async t => {
  let hasPeer = false
  const { retention, announce, here, made, views } = await startRetention(t, {
    decides: true,
    fetchBase: async () => {
      if (!hasPeer) throw new Error('no server has it')
    }
  })
  await announce(ANNOUNCED)
  t.is(await retention.obtainBase(), 6)
  t.deepEqual([here, made, views.retainedLog.retention?.Index], [[], [6], 6])
  hasPeer = true
  t.is(await retention.obtainBase(), 6)
  t.deepEqual([here.map(({ Index }) => Index), made], [[6], [6]])
})

test('during a restore, a base snapshot ends where that began: what clients write since then is read from the log', async t => {
  const { append, retention, made } = await startRetention(t, { decides: true, fetchBase: async () => {} })
  await append(restoreEvent('SnapshotRestoreBegun', {}))
  await append()
  t.is(await retention.renewBase(), 6)
  t.is(await retention.renewBase(), 6)
  await append(restoreEvent('SnapshotRestoreEnded', { Complete: true }))
  t.is(await retention.renewBase(), 9)
  t.deepEqual(made, [6, 6, 9])
})
