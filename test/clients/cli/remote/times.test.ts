import test from 'ava'
import { parseMoment, relativeTime, withRelativeTime } from '../../../../clients/cli/remote/times.js'

const now = new Date(2026, 10, 28, 17, 30, 15)
const local = (...parts: [number, number, number, number?, number?, number?]): string =>
  new Date(...parts).toISOString()

test('an index and an RFC 3339 time stay as they are', t => {
  for (const text of ['0', '42', '2026-11-23T14:00:00Z', '2026-11-23T14:00:00.123456+02:00'])
    t.is(parseMoment(text, now), text)
})

test('a duration is a time ago, with days and weeks', t => {
  t.is(parseMoment('1h', now), local(2026, 10, 28, 16, 30, 15))
  t.is(parseMoment('2d', now), local(2026, 10, 26, 17, 30, 15))
  t.is(parseMoment('1w1d12h', now), new Date(now.getTime() - 8.5 * 86_400_000).toISOString())
  t.is(parseMoment('1h30m', now), local(2026, 10, 28, 16, 0, 15))
})

test('dates, times without a zone and words are local', t => {
  t.is(parseMoment('2026-11-23 14:00', now), local(2026, 10, 23, 14))
  t.is(parseMoment('2026-11-23T14:00:05', now), local(2026, 10, 23, 14, 0, 5))
  t.is(parseMoment('2026-11-23', now), local(2026, 10, 23))
  t.is(parseMoment('yesterday', now), local(2026, 10, 27))
  t.is(parseMoment('now', now), now.toISOString())
  t.is(parseMoment('Today', now), local(2026, 10, 28))
})

test('other texts are refused with the accepted forms', t => {
  for (const text of [
    '',
    '-1h',
    '1x',
    '2026-13-01',
    '2026-11-23 25:00',
    'someday',
    '9999w',
    '1d-2h',
    '1e3',
    '42..50'
  ])
    t.throws(() => parseMoment(text, now), { message: /an index, a time such as/ }, text)
})

test('a time is relative to now in its largest unit', t => {
  const from = now.getTime()
  const texts = [0, 999, 59_000, 90_000, 7_200_000, -28_800_000, 86_400_000 * 800].map(ms =>
    relativeTime(from - ms, from)
  )
  t.deepEqual(texts, ['now', 'now', '59s ago', '1m ago', '2h ago', 'in 8h', '2y ago'])
})

test('only times become relative', t => {
  for (const text of ['web', '42', '', '0001-01-01T00:00:00Z', '2026-11-23'])
    t.is(withRelativeTime(text, now.getTime()), text)
})
