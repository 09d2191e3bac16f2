// Pruning on a follower of a cluster.
import { decisionRules } from '../../../actors/aggregates.js'
import test from 'ava'
import { Committer } from '../../../actors/committer.js'
import { LogRetention } from '../../../actors/processes/log-retention.js'
import { ActorSystem } from '../../../actors/system.js'
import type { Commit } from '../../../events/envelope.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { logRetained, type Retention } from '../../../events/retention.js'
import { SetClock } from '../../../library/testing/set-clock.js'
import { ClockWatch } from '../../../actors/clock.js'
import { Deadlines } from '../../../actors/deadlines.js'
import { Timers } from '../../../actors/timers.js'
import { Views } from '../../../projections/read-models.js'
import { settingsOfTests } from '../../support/decision-spec.js'
import { until } from '../../support/wait.js'

const By = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }
const Time = '2026-01-01T00:00:00Z'
const ANNOUNCED: Retention = { Index: 4, Base: 'ab'.repeat(32), LetGo: 3 }

test('a follower prunes only announced commits after it has the base snapshot, and creates none', async t => {
  const log = new MemoryEventLog()
  const views = new Views(settingsOfTests)
  const committer = new Committer(log, views)
  const clock = new SetClock({ runs: false })
  const deadlines = new Deadlines(clock, new ClockWatch(clock))
  const commit = (Index: number, announced?: Retention): Commit => ({
    Index,
    Time,
    By,
    Events: announced ? [logRetained(announced)] : []
  })
  for (let index = 1; index <= 5; index++) committer.commit(commit(index))
  const fetched: Retention[] = []
  let hasPeer = false
  const retention = new LogRetention(
    { log, views, system: new ActorSystem(decisionRules, views, committer) },
    {
      limits: { age: 0, bytes: 0, commits: 1, index: 0 },
      cursorLimit: async () => 0,
      onCursorsRetaining: () => {},
      onHeld: () => {},
      makeBase: async () => t.fail('it made a base'),
      hasBase: async () => fetched.length > 0,
      keepBase: async () => {},
      now: () => 0,
      onDone: () => {},
      onFailure: () => {},
      others: {
        decides: () => false,
        timers: new Timers(deadlines),
        fetchBase: async announced => {
          if (!hasPeer) throw new Error('no server can be reached')
          fetched.push(announced)
        }
      }
    }
  )
  t.teardown(() => {
    retention.stop()
    committer.stop()
    deadlines.stop()
  })
  await committer.durable()
  committer.commit(commit(6, ANNOUNCED))
  await committer.durable()
  retention.look()
  await new Promise(setImmediate)
  t.is(log.firstIndex, 1)
  hasPeer = true
  retention.look()
  await until('it has pruned', () => log.firstIndex === 4)
  t.deepEqual(fetched, [ANNOUNCED])
})
