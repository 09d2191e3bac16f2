// When snapshots are written, in virtual time.
import test from 'ava'
import { SimulatedClock } from 'xstate'
import { SnapshotSchedule } from '../../../actors/processes/snapshot-schedule.js'
import { DurableIndex } from '../../../events/log/durable-log.js'

const HOUR = 3_600_000

/** A process over a log that the test lets grow. */
const begin = ({ newest = 0, commits = 10 } = {}) => {
  const durable = new DurableIndex(newest)
  const clock = new SimulatedClock()
  const written: { signal: AbortSignal; end: (index: number) => void; fail: (error: Error) => void }[] = []
  const failures: unknown[] = []
  const log = {
    get durableIndex() {
      return durable.value
    },
    onDurable: (listener: (index: number) => void) => durable.onAdvance(listener)
  }
  const write = (signal: AbortSignal): Promise<number> =>
    new Promise((end, fail) => written.push({ signal, end, fail }))
  const writing = new SnapshotSchedule(
    log,
    { commits, newest, elapsed: () => clock.now(), write, onFailure: error => failures.push(error) },
    { clock }
  )
  return { durable, clock, written, failures, writing }
}

/** Lets what was settled take its effect. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

test('one is written when enough commits came since the last one, and no earlier', async t => {
  const { durable, written, writing } = begin({ newest: 5 })
  await settle()
  durable.advance(14)
  await settle()
  t.is(written.length, 0)
  durable.advance(15)
  await settle()
  t.is(written.length, 1)
  written[0]?.end(15)
  await settle()
  t.is(writing.newest, 15)
})

test('one at a time, and the next after a rest, however much came meanwhile', async t => {
  const { durable, clock, written, writing } = begin()
  await settle()
  durable.advance(10)
  await settle()
  durable.advance(100)
  await settle()
  t.is(written.length, 1)
  written[0]?.end(12)
  await settle()
  durable.advance(200)
  await settle()
  t.is(written.length, 1)
  clock.increment(HOUR)
  await settle()
  t.is(written.length, 2)
  written[1]?.end(200)
  await settle()
  clock.increment(HOUR)
  await settle()
  t.is(written.length, 2, 'nothing came since')
  t.is(writing.failures, 0)
})

test('the rest is in proportion to what the snapshot took, and never short', async t => {
  const { durable, clock, written } = begin()
  const rests = async (took: number, rest: number): Promise<void> => {
    const count = written.length
    durable.advance(durable.value + 10)
    await settle()
    t.is(written.length, count + 1)
    clock.increment(took)
    written[count]?.end(durable.value)
    await settle()
    durable.advance(durable.value + 10)
    clock.increment(rest - 1)
    await settle()
    t.is(written.length, count + 1, `${rest} ms are not over`)
    clock.increment(1)
    await settle()
    t.is(written.length, count + 2)
    written[count + 1]?.end(durable.value)
    await settle()
    clock.increment(HOUR)
    await settle()
  }
  await settle()
  await rests(10, 5000)
  await rests(4000, 20_000)
})

test('a log that is far ahead at the start gets one at once', async t => {
  const { durable, written } = begin()
  durable.advance(10)
  await settle()
  t.is(written.length, 1)
})

test('a failure is counted, reported and retried later', async t => {
  const { durable, clock, written, failures, writing } = begin()
  await settle()
  durable.advance(10)
  await settle()
  written[0]?.fail(new Error('no space'))
  await settle()
  t.is(writing.failures, 1)
  t.is(failures.length, 1)
  t.is(writing.newest, 0)
  durable.advance(11)
  await settle()
  t.is(written.length, 1, 'not before its time')
  clock.increment(HOUR)
  await settle()
  t.is(written.length, 2)
})

test('its end ends the one that is being written, and begins none', async t => {
  const { durable, clock, written, failures, writing } = begin()
  await settle()
  durable.advance(10)
  await settle()
  writing.stop()
  t.true(written[0]?.signal.aborted)
  written[0]?.fail(new Error('ended'))
  durable.advance(1000)
  clock.increment(HOUR)
  await settle()
  t.is(written.length, 1)
  t.deepEqual(failures, [])
})

test('who waits until nothing is written waits for the one that is, whether it is made or fails', async t => {
  const { durable, clock, written, writing } = begin()
  await settle()
  await writing.settled()
  let waits = true
  const wait = async (): Promise<void> => {
    waits = true
    await writing.settled()
    waits = false
  }
  durable.advance(10)
  await settle()
  const first = wait()
  await settle()
  t.true(waits)
  written[0]?.end(10)
  await first
  durable.advance(20)
  clock.increment(HOUR)
  await settle()
  const second = wait()
  await settle()
  t.true(waits)
  written[1]?.fail(new Error('no room'))
  await second
  t.false(waits)
})
