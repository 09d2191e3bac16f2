// Every transition of the part that a server plays in a cluster, in virtual time.
import test from 'ava'
import { createActor, SimulatedClock } from 'xstate'
import {
  leadershipMachine,
  type LeadershipEvent,
  type LeaderObservation
} from '../../../actors/processes/leadership-machine.js'

const NO_LEADER: LeaderObservation = { leader: 'none', isBehind: false, isFit: true }
const ANOTHER: LeaderObservation = { leader: 'another', isBehind: false, isFit: true }
const ITSELF: LeaderObservation = { leader: 'itself', isBehind: false, isFit: true }

type Work = 'join' | 'follow' | 'campaign' | 'catchUp' | 'settle'

class Final extends Error {}

/** A machine whose work is done when the test says so, and what it did. */
const begun = () => {
  const clock = new SimulatedClock()
  const did: string[] = []
  const waiting = new Map<Work, { done: (output?: unknown) => void; fail: (error: Error) => void }>()
  const may = { lead: true }
  const times = { heardAt: 0, untilOver: 2800 }
  let report: ((sight: LeaderObservation) => void) | undefined
  const work = (name: Work): Promise<never> => {
    did.push(name)
    // The output is what the test says.
    return new Promise<never>((done, fail) =>
      waiting.set(name, { done: output => Reflect.apply(done, undefined, [output]), fail })
    )
  }
  const machine = leadershipMachine(
    {
      join: () => work('join'),
      follow: signal => {
        signal.addEventListener('abort', () => did.push('unfollow'))
        return work('follow')
      },
      watch: given => {
        report = given
        return () => (report = undefined)
      },
      campaign: () => work('campaign'),
      catchUp: () => work('catchUp'),
      settle: () => work('settle'),
      lead: () => did.push('lead'),
      cede: () => did.push('cede')
    },
    { mayLead: () => may.lead, isFinal: error => error instanceof Final },
    { untilCut: () => Math.max(times.heardAt + 10_000 - clock.now(), 0), untilOver: () => times.untilOver }
  )
  const actor = createActor(machine, { clock })
  actor.subscribe({ error: () => {} })
  actor.start()
  const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve))
  return {
    clock,
    did,
    may,
    times,
    state: () => actor.getSnapshot().value,
    status: () => actor.getSnapshot().status,
    isWatching: () => report !== undefined,
    see: (sight: LeaderObservation) => {
      times.heardAt = clock.now()
      report?.(sight)
    },
    /** What proves nothing. */
    seeOld: (sight: LeaderObservation) => report?.(sight),
    send: (event: LeadershipEvent) => actor.send(event),
    done: async (name: Work, output?: unknown) => {
      waiting.get(name)?.done(output)
      await settled()
    },
    fail: async (name: Work, error = new Error('made by the test')) => {
      waiting.get(name)?.fail(error)
      await settled()
    }
  }
}

const following = async () => {
  const role = begun()
  role.send({ type: 'Replayed' })
  await role.done('join')
  return role
}

const leading = async () => {
  const role = await following()
  role.see(NO_LEADER)
  await role.done('campaign', true)
  await role.done('catchUp')
  return role
}

test('a server joins when its log is replayed, again as long as it cannot, and then follows', async t => {
  const role = begun()
  t.is(role.state(), 'starting')
  t.deepEqual(role.did, [])
  role.send({ type: 'Replayed' })
  t.is(role.state(), 'joining')
  await role.fail('join')
  t.is(role.state(), 'rejoining')
  role.clock.increment(500)
  t.is(role.state(), 'joining')
  await role.done('join')
  t.deepEqual(role.state(), { following: 'current' })
  t.deepEqual(role.did, ['join', 'join', 'follow'])
})

test('a log that is not that of the cluster ends it, wherever that is found', async t => {
  const joining = begun()
  joining.send({ type: 'Replayed' })
  await joining.fail('join', new Final())
  t.is(joining.state(), 'broken')
  t.is(joining.status(), 'done')

  const follower = await following()
  await follower.fail('follow')
  t.is(follower.state(), 'broken')

  const elected = await following()
  elected.see(NO_LEADER)
  await elected.done('campaign', true)
  await elected.fail('catchUp', new Final())
  t.is(elected.state(), 'broken')

  for (const begin of [following, leading]) {
    const contradicted = await begin()
    contradicted.send({ type: 'Contradicted' })
    t.is(contradicted.state(), 'broken')
    t.is(contradicted.did.at(-1), begin === leading ? 'cede' : 'unfollow')
  }

  const deposed = await leading()
  deposed.send({ type: 'Failed' })
  await deposed.fail('settle')
  t.is(deposed.state(), 'broken')
})

test('a follower is current, lagging, or cut off, by what it sees and for how long it has seen nothing', async t => {
  const role = await following()
  role.see({ ...ANOTHER, isBehind: true })
  t.deepEqual(role.state(), { following: 'lagging' })
  role.see(ANOTHER)
  t.deepEqual(role.state(), { following: 'current' })
  role.clock.increment(9999)
  role.see(ANOTHER)
  role.clock.increment(9999)
  t.deepEqual(role.state(), { following: 'current' })
  role.clock.increment(1)
  t.deepEqual(role.state(), { following: 'cut' })
  t.true(role.isWatching())
  role.see({ ...ANOTHER, isBehind: true })
  t.deepEqual(role.state(), { following: 'lagging' })
  role.clock.increment(10_000)
  t.deepEqual(role.state(), { following: 'cut' })
  role.see(ANOTHER)
  t.deepEqual(role.state(), { following: 'current' })
  t.deepEqual(role.did, ['join', 'follow'])
})

test('a follower is cut off by what it knows when its time is over, and stays so until it hears more', async t => {
  const role = await following()
  role.see(ANOTHER)
  role.clock.increment(9000)
  // What was missing has arrived, and it was asked for later than what was there before.
  role.times.heardAt = 5000
  role.clock.increment(1000)
  t.deepEqual(role.state(), { following: 'current' })
  role.clock.increment(5000)
  t.deepEqual(role.state(), { following: 'cut' })
  role.seeOld({ ...ANOTHER, isBehind: true })
  t.deepEqual(role.state(), { following: 'cut' })
})

test('a follower that sees no leader campaigns, and leads when it has won and has everything', async t => {
  const role = await following()
  role.see(NO_LEADER)
  t.is(role.state(), 'campaigning')
  await role.done('campaign', true)
  t.is(role.state(), 'catchingUp')
  t.false(role.did.includes('lead'))
  await role.done('catchUp')
  t.deepEqual(role.state(), { leading: 'held' })
  t.deepEqual(role.did, ['join', 'follow', 'unfollow', 'campaign', 'catchUp', 'lead'])
})

test('who loses, or cannot say whether it has won, follows on', async t => {
  const role = await following()
  role.see(NO_LEADER)
  await role.done('campaign', false)
  t.deepEqual(role.state(), { following: 'current' })
  role.see(NO_LEADER)
  await role.fail('campaign')
  t.deepEqual(role.state(), { following: 'current' })
  role.see(ITSELF)
  t.is(role.state(), 'campaigning')
})

test('who may not lead leaves it to others, and gives back what it won without knowing', async t => {
  const role = await following()
  role.may.lead = false
  role.see(NO_LEADER)
  t.deepEqual(role.state(), { following: 'current' })
  role.see(ITSELF)
  t.is(role.state(), 'steppingDown')
  await role.done('settle')
  t.deepEqual(role.state(), { following: 'current' })
})

test('who is elected and cannot catch up, or loses its membership, steps down before it has led', async t => {
  for (const end of ['fail', 'Lost', 'Resigned'] as const) {
    const role = await following()
    role.see(NO_LEADER)
    await role.done('campaign', true)
    if (end === 'fail') await role.fail('catchUp')
    else role.send({ type: end })
    t.is(role.state(), 'steppingDown', end)
    await role.done('settle')
    t.deepEqual(role.state(), { following: 'current' })
    t.false(role.did.includes('lead'))
  }
})

test('a leader steps down at once when the log fails, its membership is lost, it is asked to, or another one leads', async t => {
  const ends: readonly ((role: Awaited<ReturnType<typeof leading>>) => void)[] = [
    role => role.send({ type: 'Failed' }),
    role => role.send({ type: 'Lost' }),
    role => role.send({ type: 'Resigned' }),
    role => role.see(ANOTHER),
    role => role.see(NO_LEADER)
  ]
  for (const end of ends) {
    const role = await leading()
    role.see(ITSELF)
    t.deepEqual(role.state(), { leading: 'held' })
    end(role)
    t.is(role.state(), 'steppingDown')
    t.deepEqual(role.did.slice(-2), ['cede', 'settle'])
    await role.done('settle')
    t.deepEqual(role.state(), { following: 'current' })
    t.deepEqual(role.did.filter(name => name === 'follow').length, 2)
  }
})

test('a leader leads as long as its lease is renewed, and not a moment longer', async t => {
  const role = await leading()
  role.clock.increment(2799)
  role.times.untilOver = 1000
  role.clock.increment(1)
  t.deepEqual(role.state(), { leading: 'held' })
  role.times.untilOver = 0
  role.clock.increment(999)
  t.deepEqual(role.state(), { leading: 'held' })
  role.clock.increment(1)
  t.is(role.state(), 'steppingDown')
  t.is(role.did.filter(name => name === 'lead').length, 1)
})

test('a server leads again after it has stepped down', async t => {
  const role = await leading()
  role.send({ type: 'Resigned' })
  await role.done('settle')
  role.see(NO_LEADER)
  await role.done('campaign', true)
  await role.done('catchUp')
  t.deepEqual(
    role.did.filter(name => name === 'lead' || name === 'cede'),
    ['lead', 'cede', 'lead']
  )
})

test('an unfit server does not campaign, and steps down as the leader', async t => {
  const unfit = { leader: 'none', isBehind: false, isFit: false } as const
  const follower = await following()
  follower.see(unfit)
  t.deepEqual(follower.state(), { following: 'current' })
  const role = await leading()
  role.see(ITSELF)
  t.deepEqual(role.state(), { leading: 'held' })
  role.see({ ...unfit, leader: 'itself' })
  t.is(role.state(), 'steppingDown')
})
