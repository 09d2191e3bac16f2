// A system with cursors, its clock the test's.
import { decisionRules } from '../../../actors/aggregates.js'
import type { ExecutionContext } from 'ava'
import { ClockWatch, Deadlines } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { cursorRef } from '../../../actors/cursor.js'
import { CursorLeases, type CursorReader } from '../../../actors/processes/cursor-leases.js'
import { CursorPositions } from '../../../actors/processes/cursor-positions.js'
import { inCluster } from '../../../actors/ref.js'
import { ActorSystem } from '../../../actors/system.js'
import { AUTOPILOT_KEY, autopilotEvents } from '../../../events/cluster.js'
import { SECOND } from '../../../events/duration.js'
import type { EventLog } from '../../../events/log/log.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { Views } from '../../../projections/read-models.js'
import { command, settingsOfTests } from '../../support/decision-spec.js'
import { SetClock } from '../../../library/testing/set-clock.js'
import { until } from '../../support/wait.js'

/** Commits that are about no cursor, as many as are wanted. */
const filler = (n: number) =>
  command('SetAutopilot', {
    settings: {
      CleanupDeadServers: false,
      LastContactThreshold: 0,
      MaxTrailingLogs: n,
      MinQuorum: 0,
      ServerStabilizationTime: 0,
      RedundancyZoneTag: '',
      DisableUpgradeMigration: false,
      UpgradeVersionTag: ''
    },
    cas: undefined
  })

export const systemWithCursors = (t: ExecutionContext, log: EventLog = new MemoryEventLog()) => {
  const clock = new SetClock({ runs: false })
  const views = new Views(settingsOfTests)
  const committer = new Committer(log, views)
  const system = new ActorSystem(decisionRules, views, committer)
  const deadlines = new Deadlines(clock, new ClockWatch(clock))
  const positions = new CursorPositions(views, clock, deadlines, system, committer)
  const leases = new CursorLeases(views, clock, deadlines, positions, committer)
  t.teardown(() => deadlines.stop())
  positions.start()
  leases.start()
  const put = async (
    name: string,
    said: { Index?: number; Topics?: readonly string[]; Lease?: number } = {}
  ) => {
    const { Index, Topics = ['KV'], Lease = 30 * SECOND } = said
    const data = {
      Topics,
      Types: [],
      Filter: '',
      Namespace: '*',
      Partition: '*',
      Index,
      Lease,
      Format: '',
      Group: null,
      URL: '',
      Secret: ''
    }
    const more = { name, owner: 'ann', maxPerOwner: 0, newSecret: '' }
    await system.ask(cursorRef(name), command('PutCursor', { ...data, ...more }))
  }
  const claim = (name: string, reader: CursorReader) => {
    const found = views.cursors.get(name)
    return found && leases.claim(found, reader)
  }
  const remove = async (name: string) => {
    await system.ask(cursorRef(name), command('DeleteCursor', { name }))
  }
  const fill = async (count: number) => {
    for (let i = 0; i < count; i++)
      await system.ask(inCluster(autopilotEvents.topic, AUTOPILOT_KEY), filler(views.index))
  }
  /** Advances the time, and resolves when all deadlines due then have fired. */
  const advance = async (ms: number): Promise<void> => {
    clock.advance(ms)
    let isDue = false
    deadlines.on('test', () => (isDue = true))
    deadlines.after(0, 'test', '')
    deadlines.look()
    await until('the deadlines have fired', () => isDue)
  }
  return { views, log, committer, positions, leases, claim, put, remove, fill, advance }
}
