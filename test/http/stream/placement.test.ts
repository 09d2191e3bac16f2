// The start and end of a stream in the log.
import test from 'ava'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { formatTime } from '../../../events/time.js'
import { placementOf, type Placement } from '../../../http/stream/subscription-requests.js'
import type { StreamRange } from '../../../http/stream/range-parameters.js'
import { commitOf } from '../../events/commits.js'

/** Commits 1 to 20, two in each second; those up to `gone` are pruned. */
const logOf = async (gone = 0): Promise<MemoryEventLog> => {
  const log = new MemoryEventLog()
  const time = (index: number): string => formatTime(Math.ceil(index / 2) * 1000)
  await log.append(Array.from({ length: 20 }, (_, i) => commitOf(i + 1, { time: time(i + 1) })))
  await log.prune(gone)
  return log
}

const place = (
  log: MemoryEventLog,
  range: Partial<StreamRange>,
  { backlog = 5, now = 60_000 } = {}
): Promise<Placement> =>
  placementOf({ start: { kind: 'backlog' }, until: undefined, limit: undefined, ...range }, log, {
    backlog,
    now
  })

test('without a start the newest commits are sent', async t => {
  const log = await logOf(10)
  t.like(await place(log, {}), { start: 16, isCut: false, end: undefined })
  t.like(await place(log, {}, { backlog: 0 }), { start: 11, isCut: false })
  t.like(await place(log, {}, { backlog: 1000 }), { start: 11, isCut: false })
})

test('an index before the oldest starts at the oldest, and is distinguished from a valid one', async t => {
  const log = await logOf(10)
  const at = (index: number) => place(log, { start: { kind: 'index', index } })
  t.like(await at(10), { start: 11, isCut: true })
  t.like(await at(11), { start: 11, isCut: false })
  t.like(await at(900), { start: 900, isCut: false })
  t.like(await place(log, { start: { kind: 'beginning' } }), { start: 11, isCut: false })
  t.like(await place(log, { start: { kind: 'now' } }), { start: 21, isCut: false })
})

test('a time begins with the first commit that is not older', async t => {
  const log = await logOf()
  const at = (time: number) => place(log, { start: { kind: 'time', time } })
  t.like(await at(0), { start: 1, isCut: false })
  t.like(await at(3000), { start: 5, isCut: false })
  t.like(await at(3000.5), { start: 7, isCut: false })
  t.like(await at(99_000), { start: 21, isCut: false })
})

test('a time of which commits may be gone is cut', async t => {
  const log = await logOf(10)
  const at = (time: number) => place(log, { start: { kind: 'time', time } })
  t.like(await at(2000), { start: 11, isCut: true })
  t.like(await at(6000), { start: 11, isCut: true })
  t.like(await at(6001), { start: 13, isCut: false })
})

test('an end is an index, one that is found, or a moment to come', async t => {
  const log = await logOf()
  const end = async (until: StreamRange['until'], limit?: number) => (await place(log, { until, limit })).end
  t.like(await end({ kind: 'index', index: 7 }), { index: 7, limit: undefined })
  t.like(await end({ kind: 'now' }), { index: 20 })
  t.like(await end({ kind: 'time', time: 3000 }), { index: 6 })
  t.like(await end({ kind: 'time', time: 2999 }), { index: 4 })
  t.like(await end({ kind: 'time', time: 60_000 }), { index: 20 })
  t.like(await end({ kind: 'time', time: 60_001 }), { time: 60_001, index: undefined })
  t.like(await end(undefined, 3), { limit: 3, index: undefined })
  t.is(await end(undefined), undefined)
})
