// Which member should lead, by the reports of whom each reaches.
import test from 'ava'
import fc from 'fast-check'
import { Candidacy, isolatedFrom, successorOf } from '../../../actors/processes/candidacy.js'
import type { KnownMember } from '../../../actors/processes/members.js'

type Topology = Readonly<Record<string, readonly string[]>>

/** Members by name; each reaches all but those listed. */
const membersOf = (unreachable: Topology, dead: readonly string[] = []): readonly KnownMember[] =>
  Object.entries(unreachable).map(([id, ids]) => ({
    member: {
      id,
      name: id,
      address: `http://${id}`,
      bind: id,
      meta: {},
      version: '1',
      at: 0,
      flushed: 0,
      lastContact: 0,
      unreachable: ids,
      canLead: true
    },
    isLive: !dead.includes(id),
    since: 0,
    heardAt: 0
  }))

/** The leaders in turn, from one on, until one stays; at most one more than there are servers. */
const leadersFrom = (all: readonly KnownMember[], first: string): readonly string[] => {
  const leaders = [first]
  for (let left = all.length; left > 0; left--) {
    const next = successorOf(all, leaders.at(-1) ?? first)
    if (!next) return leaders
    leaders.push(next.id)
  }
  return leaders
}

const topologies = (count: number): fc.Arbitrary<Topology> => {
  const ids = Array.from({ length: count }, (_, at) => String(at))
  return fc.record(Object.fromEntries(ids.map(id => [id, fc.subarray(ids.filter(other => other !== id))])))
}

test('leadership moves to a member that more others reach, and comes to rest', t => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 6 }).chain(topologies),
      fc.array(fc.constantFrom('0', '1', '2')),
      (topology, dead) => {
        const all = membersOf(topology, dead)
        for (const first of Object.keys(topology)) {
          const leaders = leadersFrom(all, first)
          t.is(new Set(leaders).size, leaders.length)
        }
      }
    ),
    { numRuns: 2000 }
  )
})

test('of three servers a leader that neither other reaches stays only where neither reaches the other', t => {
  fc.assert(
    fc.property(topologies(3), topology => {
      const all = membersOf(topology)
      const last = leadersFrom(all, '0').at(-1) ?? ''
      if (isolatedFrom(all, last).length === 0) return
      const others = Object.keys(topology).filter(id => id !== last)
      for (const [one, other] of [others, others.toReversed()])
        t.true(topology[one ?? '']?.includes(other ?? ''))
    }),
    { numRuns: 2000 }
  )
})

test('one of two servers never gives way to the other, nor a leader that one of two others does not reach', t => {
  t.is(successorOf(membersOf({ a: [], b: ['a'] }), 'a'), undefined)
  t.is(successorOf(membersOf({ a: [], b: ['a'], c: [] }), 'a'), undefined)
  t.is(successorOf(membersOf({ a: [], b: ['a'], c: ['a'] }), 'a')?.id, 'b')
})

test('a dead server reports nothing, and still counts as a member', t => {
  t.is(successorOf(membersOf({ a: [], b: ['a'], c: ['a'] }, ['c']), 'a'), undefined)
})

test('a leader gives way only after most others have not reached it for the time of a lease', t => {
  let all = membersOf({ a: [], b: ['a'], c: ['a'] })
  let now = 0
  let look = (): void => {}
  const candidacy = new Candidacy({
    members: {
      get all() {
        return all
      },
      onLook: listener => {
        look = listener
        return () => {}
      }
    },
    clock: { elapsed: () => now },
    id: 'a',
    leaseTtl: 3000,
    isLeading: () => true,
    isVacant: () => false
  })
  look()
  now = 2900
  t.true(candidacy.allows)
  all = membersOf({ a: [], b: ['a'], c: [] })
  look()
  all = membersOf({ a: [], b: ['a'], c: ['a'] })
  look()
  now = 5800
  look()
  t.true(candidacy.allows)
  now = 5900
  t.false(candidacy.allows)
})
