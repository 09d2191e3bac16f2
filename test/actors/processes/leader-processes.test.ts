// What the leader alone does: begun in order, ended at once, and begun again.
import { decisionRules } from '../../../actors/aggregates.js'
import test, { type ExecutionContext } from 'ava'
import { ClockWatch, Deadlines } from '../../../actors/clock.js'
import { Committer } from '../../../actors/committer.js'
import { LeaderProcesses } from '../../../actors/processes/leader-processes.js'
import { ExpirationProcess, tokenExpiry } from '../../../actors/processes/expiration-process.js'
import { SessionExpiration } from '../../../actors/processes/session-expiration.js'
import { inCluster } from '../../../actors/ref.js'
import { ActorSystem } from '../../../actors/system.js'
import { HOUR } from '../../../events/duration.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { TOKEN_TOPIC } from '../../../events/token.js'
import { SetClock } from '../../../library/testing/set-clock.js'
import { Views } from '../../../projections/read-models.js'
import { command, settingsOfTests } from '../../support/decision-spec.js'
import { id, tokenInput } from '../acl-resources.js'

/** A system whose server decides as long as the test says so. */
const systemOf = (t: ExecutionContext) => {
  const clock = new SetClock({ runs: false })
  const views = new Views(settingsOfTests)
  const log = new MemoryEventLog()
  const committer = new Committer(log, views)
  const leads = { now: true }
  const system = new ActorSystem(decisionRules, views, committer, undefined, () => leads.now)
  const watch = new ClockWatch(clock)
  const deadlines = new Deadlines(clock, watch)
  const expiry = new ExpirationProcess(views, clock, watch, deadlines, system, committer)
  t.teardown(() => {
    deadlines.stop()
    committer.stop()
  })
  return { clock, views, log, committer, system, deadlines, expiry, leads }
}

test('they begin one after the other, end the last first, and begin again', async t => {
  const did: string[] = []
  const processes = new LeaderProcesses()
  for (const name of ['a', 'b', 'c'])
    processes.whileLeading({
      start: async () => {
        await Promise.resolve()
        did.push(`+${name}`)
      },
      stop: () => void did.push(`-${name}`)
    })
  await processes.begin()
  processes.end()
  processes.end()
  await processes.begin()
  t.deepEqual(did, ['+a', '+b', '+c', '-c', '-b', '-a', '+a', '+b', '+c'])
})

test('what has not begun when they are ended does not begin', async t => {
  const did: string[] = []
  const processes = new LeaderProcesses()
  processes.whileLeading({
    start: async () => {
      did.push('+a')
      await new Promise(resolve => setImmediate(resolve))
    },
    stop: () => void did.push('-a')
  })
  processes.whileLeading({ start: () => void did.push('+b'), stop: () => void did.push('-b') })
  const beginning = processes.begin()
  processes.end()
  await beginning
  t.deepEqual(did, ['+a', '-a'])
})

test('a process that fails to start is reported and stopped with the others', async t => {
  const did: string[] = []
  const processes = new LeaderProcesses()
  processes.whileLeading({
    start: () => {
      throw new Error('made by the test')
    },
    stop: () => void did.push('-a')
  })
  await t.throwsAsync(processes.begin(), { message: 'made by the test' })
  processes.end()
  t.deepEqual(did, ['-a'])
})

test('a server that stopped deciding refuses every command and changes nothing', t => {
  const { system, leads, views } = systemOf(t)
  leads.now = false
  t.throws(() => system.assertWritable(), { message: /does not lead the cluster/ })
  t.false(system.isDeciding)
  t.is(views.index, 0)
})

test('a stopped process receives no events, keeps no deadlines, and can restart', async t => {
  const { system, clock, deadlines, expiry } = systemOf(t)
  const create = async (n: number): Promise<unknown> =>
    system.ask(inCluster(TOKEN_TOPIC, id(n)), {
      ...command('CreateToken', {
        ...tokenInput({ ExpirationTTL: HOUR }),
        newAccessor: id(n),
        newSecret: id(n + 100)
      }),
      at: clock.now()
    })
  const stop = expiry.follow(tokenExpiry)
  deadlines.after(1000, 'other', 'a')
  await create(1)
  t.is(deadlines.size, 2)
  stop()
  t.is(deadlines.size, 1)
  await create(2)
  t.is(deadlines.size, 1)
  const end = expiry.follow(tokenExpiry)
  t.is(deadlines.size, 3)
  end()
  t.is(deadlines.size, 1)
})

test('a new leader restarts the TTL of sessions', t => {
  const { views, clock, deadlines, expiry, committer } = systemOf(t)
  const sessions = new SessionExpiration(views, clock, deadlines, expiry, committer)
  sessions.start()
  sessions.stop()
  t.is(committer.signals.listenerCount('rebuilt'), 0)
  sessions.start()
  t.is(committer.signals.listenerCount('rebuilt'), 1)
})
