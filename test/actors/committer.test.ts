// The committer of a server of a cluster: it follows what others have decided; what it decides itself is stored, refuted, or not known in
// time.
import { decisionRules } from '../../actors/aggregates.js'
import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { ClockWatch, Deadlines, Timers } from '../../actors/clock.js'
import { Committer } from '../../actors/committer.js'
import { inCluster } from '../../actors/ref.js'
import { ActorSystem } from '../../actors/system.js'
import { followSharedLog } from '../../events/log/cluster/log-follower.js'
import { ClusterLink } from '../../events/log/cluster/cluster-link.js'
import type { Term } from '../../events/log/cluster/shared-log.js'
import { LogFailure } from '../../events/log/log.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { POLICY_TOPIC } from '../../events/policy.js'
import { SetClock } from '../../library/testing/set-clock.js'
import { Views } from '../../projections/read-models.js'
import { command, settingsOfTests } from '../support/decision-spec.js'
import { memberOf, noPeers } from '../support/log-server.js'
import { MemorySharedLog } from '../support/memory-shared-log.js'
import { SharedMemory } from '../support/shared-memory.js'
import { until } from '../support/wait.js'
import { id, policyInput } from './acl-resources.js'

const HOLD = 7000

/** A server that leads on demand, and follows from its beginning until then. */
class Server {
  readonly shared: MemorySharedLog
  readonly link: ClusterLink
  readonly log: MemoryEventLog
  readonly views = new Views(settingsOfTests)
  readonly committer: Committer
  readonly system: ActorSystem
  readonly clock = new SetClock({ runs: false })
  readonly deadlines = new Deadlines(this.clock, new ClockWatch(this.clock))
  rebuilt = 0
  #following = new AbortController()

  constructor(t: ExecutionContext, memory: SharedMemory) {
    this.shared = new MemorySharedLog(memory)
    this.link = new ClusterLink(this.shared)
    this.log = new MemoryEventLog({ order: this.link })
    this.committer = new Committer(this.log, this.views)
    this.committer.setDurabilityTimeout({ ms: HOLD, clock: this.clock, timers: new Timers(this.deadlines) })
    this.committer.signals.on('rebuilt', () => this.rebuilt++)
    this.system = new ActorSystem(decisionRules, this.views, this.committer)
    t.teardown(() => {
      this.#following.abort()
      this.committer.stop()
      this.deadlines.stop()
    })
  }

  follow(): void {
    this.link.follow()
    const { log, shared } = this
    this.#following = new AbortController()
    const { signal } = this.#following
    void followSharedLog(
      {
        log,
        shared,
        peers: noPeers,
        replace: () => Promise.reject(new Error('nothing is replaced')),
        report: () => {},
        pause: () => setImmediate(),
        take: records => this.committer.ingest(apply => log.ingest(records, apply), signal)
      },
      signal
    )
  }

  async lead(node: string): Promise<Term | undefined> {
    const term = await (await this.shared.join()).campaign(memberOf(node))
    this.#following.abort()
    if (term) this.link.lead(term)
    return term
  }

  /** Creates a policy. Answers with the kind of the refusal, if it is one. */
  async create(n: number): Promise<string> {
    try {
      const data = { ...policyInput({ Name: `policy-${n}` }), newId: id(n) }
      await this.system.ask(inCluster(POLICY_TOPIC), command('CreatePolicy', data))
      return 'done'
    } catch (error) {
      return error instanceof Error && 'kind' in error
        ? `${String(error.kind)}: ${error.message}`
        : String(error)
    }
  }

  get policies(): number {
    return [...this.views.dump()].filter(row => JSON.stringify(row).includes('"policy-')).length
  }

  /** Advances the time until waits for the log time out. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms)
    this.deadlines.look()
    await setImmediate()
  }
}

const dumpOf = ({ views }: Server): string => JSON.stringify([...views.dump()])

const arrived = (server: Server, index: number): Promise<unknown> =>
  until(`commit ${index}`, () => server.log.durableIndex >= index)

test('a follower shows each commit, signals it, and then counts it as durable', async t => {
  const memory = new SharedMemory()
  const [leader, follower] = [new Server(t, memory), new Server(t, memory)]
  const order: string[] = []
  follower.committer.signals.on('applied', ({ Index }) => order.push(`applied ${Index}`))
  follower.log.onDurable(index => order.push(`durable ${index}, shown ${follower.views.index}`))
  follower.follow()
  await leader.lead('a')
  t.is(await leader.create(1), 'done')
  await arrived(follower, 1)
  t.is(await leader.create(2), 'done')
  await arrived(follower, 2)
  t.deepEqual(order, ['applied 1', 'durable 1, shown 1', 'applied 2', 'durable 2, shown 2'])
  t.is(dumpOf(follower), dumpOf(leader))
  t.is(follower.log.headHash, leader.log.headHash)
})

test('waits for a lost leader end with an unknown outcome after the timeout; stored commits need no rebuild', async t => {
  const memory = new SharedMemory()
  const [old, next] = [new Server(t, memory), new Server(t, memory)]
  next.follow()
  await old.lead('a')
  t.is(await old.create(1), 'done')
  await arrived(next, 1)
  old.shared.loseAnswers()
  let answer: string | undefined
  const asked = old.create(2).then(text => (answer = text))
  await arrived(next, 2)
  await old.pass(HOLD - 1)
  t.is(await Promise.race([asked, Promise.resolve('waiting')]), 'waiting')
  await old.pass(1)
  t.regex(
    await until('the wait ends', () => answer),
    /^unknown: The outcome is not known: the leader was lost while the change was being stored/
  )
  for (const membership of memory.memberships) memory.end(membership)
  await next.lead('b')
  t.is(await next.create(3), 'done')
  old.follow()
  old.shared.heal()
  await arrived(old, 3)
  t.is(old.rebuilt, 0)
  t.is(dumpOf(old), dumpOf(next))
})

test('a wait resolves when its commit turns out to be stored', async t => {
  const memory = new SharedMemory()
  const server = new Server(t, memory)
  await server.lead('a')
  server.shared.loseAnswers()
  const asked = server.create(1)
  await until('it is shared', () => memory.head.index === 1)
  await server.pass(HOLD - 1)
  server.shared.heal()
  t.is(await asked, 'done')
})

test('a refused commit fails its waits and the read models are rebuilt', async t => {
  const memory = new SharedMemory()
  const [old, next] = [new Server(t, memory), new Server(t, memory)]
  next.follow()
  await old.lead('a')
  t.is(await old.create(1), 'done')
  await arrived(next, 1)
  old.shared.cut()
  const asked = [old.create(2), old.create(3)]
  for (const membership of memory.memberships) memory.end(membership)
  await next.lead('b')
  t.is(await next.create(4), 'done')
  old.link.onDeposed(() => old.follow())
  old.shared.heal()
  for (const answer of await Promise.all(asked)) t.regex(answer, /^unavailable: .*nothing was changed/)
  await arrived(old, 2)
  t.is(old.rebuilt, 1)
  t.is(old.policies, 2)
  t.is(dumpOf(old), dumpOf(next))
})

test('a follower whose disk fails again and again leaves nothing behind at what may end its waiting', async t => {
  const { committer } = new Server(t, new SharedMemory())
  const following = new AbortController()
  let tries = 0
  const taking = committer.ingest(async () => {
    // More than the 10 listeners of which Node warns.
    if (++tries <= 11) throw new LogFailure('EIO')
  }, following.signal)
  await taking
  t.is(tries, 12)
  t.deepEqual(getEventListeners(following.signal, 'abort'), [])
})

/** After a failure its disk takes deletions only. */
class FullLog extends MemoryEventLog {
  override async recover(): Promise<'all' | 'deletions'> {
    await super.recover()
    return 'deletions'
  }
}

test('a log swap is rejected while the disk is full', async t => {
  const log = new FullLog({ failAt: 1 })
  const views = new Views(settingsOfTests)
  const committer = new Committer(log, views)
  t.teardown(() => committer.stop())
  const data = { ...policyInput({ Name: 'policy-1' }), newId: id(1) }
  await t.throwsAsync(
    new ActorSystem(decisionRules, views, committer).ask(
      inCluster(POLICY_TOPIC),
      command('CreatePolicy', data)
    )
  )
  await committer.writable()
  await t.throwsAsync(
    committer.exchange(async () => t.fail()),
    { message: /the disk is full/ }
  )
})
