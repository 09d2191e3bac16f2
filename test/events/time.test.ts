import test from 'ava'
import * as fc from 'fast-check'
import { formatTime, parseTime, ZERO_TIME } from '../../events/time.js'

const [FIRST, LAST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59Z')]

test('what is printed is read back as the same instant, to the microsecond', t => {
  fc.assert(
    fc.property(fc.double({ min: FIRST, max: LAST, noNaN: true }), ms => {
      const back = parseTime(formatTime(ms))
      t.true(back !== undefined && Math.abs(back - ms) <= 0.001 + Math.abs(ms) * Number.EPSILON)
    })
  )
  fc.assert(
    fc.property(fc.integer({ min: FIRST, max: LAST }), ms => {
      t.is(parseTime(formatTime(ms)), ms)
    })
  )
})

test('trailing zeros of the fraction are left out', t => {
  t.is(formatTime(0), '1970-01-01T00:00:00Z')
  t.is(formatTime(1), '1970-01-01T00:00:00.001Z')
  t.is(formatTime(100), '1970-01-01T00:00:00.1Z')
  t.is(formatTime(0.25), '1970-01-01T00:00:00.00025Z')
  t.is(formatTime(-1), '1969-12-31T23:59:59.999Z')
  t.is(formatTime(FIRST), ZERO_TIME)
})

test('zones, fractions and the first year are read', t => {
  t.is(parseTime('1970-01-01T02:00:00+02:00'), 0)
  t.is(parseTime('1969-12-31T18:30:00.5-05:30'), 500)
  t.is(parseTime('1970-01-01T00:00:00.123456789Z'), 123.456789)
  t.is(parseTime(ZERO_TIME), FIRST)
  t.is(parseTime('2024-02-29T00:00:00Z'), Date.UTC(2024, 1, 29))
})

test('what is no RFC 3339 text is undefined', t => {
  const texts = [
    '',
    'now',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01t00:00:00Z',
    '2026-01-01T00:00:00z',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00,5Z',
    '2026-01-01T00:00:00+0200',
    '2026-01-01T0:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2016-12-31T23:59:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00Z\n',
    `2026-01-01T00:00:00.${'1'.repeat(100)}Z`
  ]
  for (const text of texts) t.is(parseTime(text), undefined, JSON.stringify(text))
})
