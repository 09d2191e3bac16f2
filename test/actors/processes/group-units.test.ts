import test from 'ava'
import fc from 'fast-check'
import { GroupUnits, MAX_PARKED_UNITS } from '../../../actors/processes/group-units.js'
import type { LeasedUnit, UnitContent } from '../../../actors/processes/group-unit.js'
import type { ConsumerGroup, GroupUnit } from '../../../events/cursor.js'
import { SECOND } from '../../../events/duration.js'

const group: ConsumerGroup = { VisibilityTimeout: 30 * SECOND, MaxDeliveries: 3, OnParked: 'continue' }
const content = (index: number, unit: string): UnitContent => ({
  index,
  unit,
  events: [],
  line: Buffer.from('{}')
})
const open = (
  log: readonly UnitContent[],
  rules: Partial<ConsumerGroup> = {},
  position = 0,
  stored: readonly GroupUnit[] = []
): GroupUnits => {
  const units = new GroupUnits({ ...group, ...rules }, 'epoch', position, stored)
  for (const each of log.filter(({ index }) => index > position)) units.add(each)
  units.advance(log.at(-1)?.index ?? position)
  return units
}
const take = (units: GroupUnits, most = 10, now = 0, elapsed = now): readonly LeasedUnit[] =>
  units.take({ member: 'one', most, now, elapsed, mayRead: () => true })
const names = (taken: readonly LeasedUnit[]): readonly string[] =>
  taken.map(({ index, unit }) => `${index}${unit}`)
const receipts = (taken: readonly LeasedUnit[]): readonly string[] => taken.map(({ receipt }) => receipt)

test('one unit of a key is with one member at a time, in the order of the log', t => {
  const units = open([content(1, 'a'), content(2, 'a'), content(3, 'b')])
  const first = take(units)
  t.deepEqual(names(first), ['1a', '3b'])
  t.deepEqual(take(units), [])
  units.acknowledge(receipts(first))
  t.deepEqual(names(take(units)), ['2a'])
})

test('the position passes what is acknowledged without a gap, and the state has the rest', t => {
  const units = open([content(1, 'a'), content(2, 'b'), content(2, 'c'), content(5, 'd')])
  const [a, b, c, d] = receipts(take(units))
  units.acknowledge([b ?? '', d ?? ''])
  t.is(units.position, 0)
  t.like(
    units.state().filter(({ State }) => State === 'acknowledged'),
    [
      { Index: 2, Unit: 'b' },
      { Index: 5, Unit: 'd' }
    ]
  )
  units.acknowledge([a ?? ''])
  t.is(units.position, 1)
  units.acknowledge([c ?? ''])
  t.is(units.position, 5)
  t.deepEqual(units.state(), [])
})

test('the failure of a unit tells why it is delivered again, not the text of its reason', t => {
  const causeAfter = (stored: Partial<GroupUnit>): unknown =>
    take(
      open([content(1, 'a')], {}, 0, [{ Index: 1, Unit: 'a', State: 'waiting', Deliveries: 1, ...stored }])
    )[0]?.cause
  const text = 'The visibility timeout has passed'
  t.is(causeAfter({}), 'interrupted')
  t.is(causeAfter({ Reason: text, Failure: 'rejected' }), 'rejected')
  t.is(causeAfter({ Reason: 'other', Failure: 'timeout' }), 'timeout')
  // Units that earlier versions stored.
  t.is(causeAfter({ Reason: text }), 'timeout')
  t.is(causeAfter({ Reason: 'other' }), 'rejected')
  const units = open([content(1, 'a')])
  units.reject(receipts(take(units)), { notBefore: 0, reason: text })
  t.like(units.state()[0], { Reason: text, Failure: 'rejected' })
  t.is(take(units)[0]?.cause, 'rejected')
  t.is(units.expire(0, Infinity), 1)
  t.like(units.state()[0], { Reason: text, Failure: 'timeout' })
})

test('a rejected unit is delivered after its delay, and parked after the last delivery', t => {
  const units = open([content(1, 'a'), content(2, 'a')])
  for (const delivery of [1, 2, 3]) {
    const now = delivery * 1000
    const [unit] = take(units, 1, now)
    t.like(unit, { index: 1, deliveries: delivery })
    units.reject(receipts(unit ? [unit] : []), { notBefore: now + 500, reason: 'no' })
    t.deepEqual(names(take(units, 10, now + 499)), delivery === 3 ? ['2a'] : [])
  }
  t.like(units.parked, [{ Index: 1, Unit: 'a', State: 'parked', Deliveries: 3, Reason: 'no' }])
  t.is(units.position, 1)
})

test('a parked unit blocks its key if the group says so, until it is replayed or dropped', t => {
  for (const next of ['replay', 'drop'] as const) {
    const units = open([content(1, 'a'), content(2, 'a')], { MaxDeliveries: 1, OnParked: 'block' })
    units.reject(receipts(take(units)), { notBefore: 0, reason: 'no' })
    t.deepEqual(take(units), [])
    t.true(units.unpark({ Index: 1, Unit: 'a' }, next))
    t.false(units.unpark({ Index: 1, Unit: 'a' }, next))
    for (const { Index, Unit } of units.unread) units.replay(content(Index, Unit))
    t.deepEqual(names(take(units)), [next === 'replay' ? '1a' : '2a'])
  }
})

test('a replayed unit blocks its key until it has been read again', t => {
  const units = open([content(1, 'a'), content(2, 'a')], { MaxDeliveries: 1, OnParked: 'block' })
  units.reject(receipts(take(units)), { notBefore: 0, reason: 'no' })
  units.unpark({ Index: 1, Unit: 'a' }, 'replay')
  t.is(units.unread.length, 1)
  t.deepEqual(take(units), [])
  units.replay(content(1, 'a'))
  t.deepEqual(names(take(units)), ['1a'])
})

test('a lease that ends makes its receipt unknown, and the unit is delivered again', t => {
  const units = open([content(1, 'a')])
  const first = receipts(take(units))
  t.is(units.nextDueIn(0, 0), 30_000)
  t.is(units.expire(0, 29_999), 0)
  t.is(units.expire(0, 30_000), 1)
  t.deepEqual(units.acknowledge(first), { settled: [], unknown: first })
  t.like(take(units, 1, 30_000), [{ index: 1, deliveries: 2 }])
})

test('a member gets only what it may read, and others get the rest', t => {
  const units = open([content(1, 'a'), content(2, 'b')])
  const mayRead = ({ unit }: UnitContent): boolean => unit === 'b'
  t.deepEqual(names(units.take({ member: 'one', most: 10, now: 0, elapsed: 0, mayRead })), ['2b'])
  t.deepEqual(names(take(units)), ['1a'])
})

test('when many units are parked, further ones are delivered again', t => {
  const log = Array.from({ length: MAX_PARKED_UNITS + 1 }, (_, i) => content(i + 1, `k${i}`))
  const units = open(log, { MaxDeliveries: 1 })
  units.reject(receipts(take(units, 1000)), { notBefore: 0, reason: 'no' })
  t.is(units.parked.length, MAX_PARKED_UNITS)
  t.like(take(units), [{ index: MAX_PARKED_UNITS + 1, deliveries: 2 }])
})

type Step = readonly ['take' | 'ack' | 'nack' | 'store' | 'crash' | 'replay', number]
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.tuple(fc.constantFrom('take', 'ack', 'nack', 'store', 'crash', 'replay'), fc.nat(3)),
  { maxLength: 80 }
)

test('with stores and crashes, every unit is acknowledged or parked, in the order of its key', t => {
  fc.assert(
    fc.property(steps, fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 20 }), (moves, keys) => {
      const log = keys.map((unit, i) => content(i + 1, unit))
      let durable: { position: number; stored: readonly GroupUnit[] } = { position: 0, stored: [] }
      let units = open(log)
      let leased: LeasedUnit[] = []
      /** Units whose acknowledgement is durable. */
      let [acknowledged, done] = [new Set<string>(), new Set<string>()]
      const reopen = (): void => {
        units = open(log, {}, durable.position, durable.stored)
        for (const { Index, Unit } of units.unread) units.replay(content(Index, Unit))
        ;[leased, acknowledged] = [[], new Set(done)]
      }
      for (const [step, n] of moves) {
        const unit = leased[n % Math.max(1, leased.length)]
        if (step === 'take') {
          for (const taken of take(units, n + 1)) {
            t.false(
              done.has(`${taken.index}${taken.unit}`),
              'a unit was delivered after its durable acknowledgement'
            )
            leased.push(taken)
          }
          t.is(new Set(leased.map(each => each.unit)).size, leased.length, 'two members have one key')
        } else if (step === 'store') {
          durable = { position: units.position, stored: units.state() }
          done = new Set(acknowledged)
        } else if (step === 'crash') reopen()
        else if (step === 'replay') {
          for (const { Index, Unit } of units.parked) units.unpark({ Index, Unit }, 'replay')
          for (const { Index, Unit } of units.unread) units.replay(content(Index, Unit))
        } else if (unit) {
          leased = leased.filter(each => each !== unit)
          if (step === 'nack') units.reject([unit.receipt], { notBefore: 0, reason: 'no' })
          else {
            units.acknowledge([unit.receipt])
            acknowledged.add(`${unit.index}${unit.unit}`)
          }
        }
      }
      units.acknowledge(receipts(leased))
      for (let taken = take(units); taken.length > 0; taken = take(units)) units.acknowledge(receipts(taken))
      t.is(units.position, log.length)
      t.deepEqual(
        units.state().map(({ State }) => State),
        units.parked.map(() => 'parked')
      )
    })
  )
})
