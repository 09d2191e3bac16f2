// What a server knows of the others of its cluster, and of their clocks; in virtual time.
import test from 'ava'
import { ClockWatch, Deadlines, Timers } from '../../../actors/clock.js'
import { Members } from '../../../actors/processes/members.js'
import type { Member } from '../../../events/log/cluster/shared-log.js'
import { SetClock } from '../../../library/testing/set-clock.js'

const memberOf = (id: string, at: number): Member => ({
  id,
  name: id,
  address: `http://${id}`,
  bind: id,
  meta: {},
  version: '1',
  at,
  flushed: 0,
  lastContact: 0
})

/** Members whose clocks are ahead of this server's by these ms; live ones announce themselves every 5 s. */
const begun = (clocks: Readonly<Record<string, number>>) => {
  const clock = new SetClock({ runs: false })
  const deadlines = new Deadlines(clock, new ClockWatch(clock))
  deadlines.stop()
  const live = new Map<string, Member>()
  const joined = new Map<string, Member>()
  const announce = (id: string): void => {
    const member = memberOf(id, clock.now() + (clocks[id] ?? 0))
    live.set(id, member)
    joined.set(id, member)
  }
  const members = new Members(
    { members: async () => ({ live: [...live.values()], joined: [...joined.values()] }) },
    clock,
    new Timers(deadlines)
  )
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(700)
      if (second % 5 === 0) for (const id of Object.keys(clocks)) announce(id)
      clock.advance(300)
      await members.look()
    }
  }
  return { clock, live, joined, members, pass }
}

test('who is heard of and who is not is known, and since when', async t => {
  const { live, joined, members, pass, clock } = begun({ one: 0, two: 0 })
  await pass(1)
  const since = clock.elapsed()
  t.deepEqual(
    members.all.map(({ member, isLive }) => [member.name, isLive]),
    [
      ['one', true],
      ['two', true]
    ]
  )
  await pass(3)
  live.delete('two')
  await members.look()
  t.is(members.get('one')?.since, since)
  t.like(members.get('two'), { isLive: false, since: clock.elapsed() })
  joined.delete('two')
  await members.look()
  t.is(members.get('two'), undefined)
})

test('a server whose clock differs from the median of all knows it, and one whose does not leads on', async t => {
  const wrong = begun({ own: 0, two: 3_600_000, three: 3_600_000 })
  await wrong.pass(20)
  t.true(Math.abs(wrong.members.clockAhead('own') + 3_600_000) < 1000)
  const right = begun({ own: 0, two: 10, three: -3_600_000 })
  await right.pass(20)
  t.true(Math.abs(right.members.clockAhead('own')) < 1000)
})

test('a server knows at once that its own clock was set', async t => {
  const { members, pass, clock } = begun({ own: 0, two: 0, three: 0 })
  await pass(20)
  clock.setBy(3_600_000)
  t.true(Math.abs(members.clockAhead('own') - 3_600_000) < 1000)
  clock.setBy(-3_600_000)
  t.true(Math.abs(members.clockAhead('own')) < 1000)
})

test('with two servers or a single announcement, no clock counts as wrong', async t => {
  const pair = begun({ own: 0, two: 3_600_000 })
  await pair.pass(20)
  t.is(pair.members.clockAhead('own'), 0)
  const early = begun({ own: 0, two: 3_600_000, three: 3_600_000 })
  await early.pass(6)
  t.is(early.members.clockAhead('own'), 0)
})

test('after the death of one of three servers, the others still know whose clock is wrong, for an hour', async t => {
  const clocks: Record<string, number> = { own: 0, two: -3_600_000, three: -3_600_000 }
  const { members, live, pass } = begun(clocks)
  await pass(20)
  delete clocks['three']
  live.delete('three')
  await pass(20)
  t.true(Math.abs(members.clockAhead('own') - 3_600_000) < 1000)
  await pass(3600)
  t.is(members.clockAhead('own'), 0)
})

test('a server whose clock is wrong knows it also when one of three returns and another one dies', async t => {
  const clocks: Record<string, number> = { own: 0, two: -3_600_000, three: -3_600_000 }
  const { members, live, pass } = begun(clocks)
  await pass(20)
  live.delete('three')
  delete clocks['three']
  await pass(2)
  clocks['three'] = -3_600_000
  await pass(1)
  live.delete('two')
  delete clocks['two']
  await pass(1)
  t.true(Math.abs(members.clockAhead('own') - 3_600_000) < 1000)
})

test('the clock of a server that returns is compared from its return on', async t => {
  const clocks: Record<string, number> = { own: 0, two: 3_600_000, three: 3_600_000 }
  const { members, live, pass } = begun(clocks)
  await pass(20)
  live.delete('three')
  delete clocks['three']
  await pass(2)
  clocks['three'] = 0
  await pass(20)
  t.true(Math.abs(members.clockAheadOf('three') ?? Infinity) < 1000)
})
