import test from 'ava'
import * as fc from 'fast-check'
import {
  formatDuration,
  HOUR,
  MINUTE,
  parseDuration,
  parseMilliseconds,
  SECOND
} from '../../events/duration.js'
import { growth } from '../support/cost.js'

const MAX = 2 ** 63

test('what is printed is read back as the same number', t => {
  const whole = fc.oneof(
    fc.maxSafeInteger(),
    fc.integer({ min: -2e9, max: 2e9 }),
    fc.double({ min: -MAX, max: MAX, noNaN: true }).map(Math.trunc)
  )
  fc.assert(
    fc.property(whole, ns => {
      t.is(parseDuration(formatDuration(ns)), ns === 0 ? 0 : ns)
    })
  )
})

test('durations are printed as Go prints them', t => {
  const examples: readonly (readonly [number, string])[] = [
    [0, '0s'],
    [-0, '0s'],
    [100, '100ns'],
    [1500, '1.5µs'],
    [1e6, '1ms'],
    [1.5e6, '1.5ms'],
    [250e6, '250ms'],
    [SECOND, '1s'],
    [1.5 * SECOND, '1.5s'],
    [59.999 * SECOND, '59.999s'],
    [MINUTE, '1m0s'],
    [90 * SECOND, '1m30s'],
    [HOUR, '1h0m0s'],
    [HOUR + 2 * MINUTE + 3.5 * SECOND, '1h2m3.5s'],
    [24 * HOUR, '24h0m0s'],
    [24 * HOUR + 1e6, '24h0m0.001s'],
    [-5 * MINUTE, '-5m0s'],
    [MAX, '2562047h47m16.854775807s'],
    [-MAX * 4, '-2562047h47m16.854775807s']
  ]
  for (const [ns, text] of examples) t.is(formatDuration(ns), text)
})

test('every notation that Go reads is read', t => {
  const examples: readonly (readonly [string, number])[] = [
    ['0', 0],
    ['-0', 0],
    ['+0', 0],
    ['0s', 0],
    ['1h30m10.5s', HOUR + 30 * MINUTE + 10.5 * SECOND],
    ['10.0s', 10 * SECOND],
    ['.5s', 0.5 * SECOND],
    ['1.s', SECOND],
    ['-1.5h', -1.5 * HOUR],
    ['+5m', 5 * MINUTE],
    ['1us', 1000],
    ['1µs', 1000],
    ['1μs', 1000],
    ['1s1s1m', MINUTE + 2 * SECOND],
    ['0.9ns', 0],
    ['1.0000000001s', SECOND],
    ['00000000000000000000000001s', SECOND],
    ['87600h', 87600 * HOUR]
  ]
  for (const [text, ns] of examples) t.is(parseDuration(text), ns, text)
})

test('what is no duration is undefined', t => {
  const texts = [
    '',
    '15',
    '00',
    '-',
    '+',
    '1d',
    '.',
    '.s',
    's',
    '1',
    '1 s',
    ' 1s',
    '1s ',
    '1S',
    '1m2',
    '--1s',
    '1e3s',
    '1mss',
    '1s\n',
    '2562047h47m16.854775808s',
    '9999999999999999999999h'
  ]
  for (const text of texts) t.is(parseDuration(text), undefined, JSON.stringify(text))
  t.is(parseDuration('-2562047h47m16.854775808s'), -MAX)
})

test('arbitrary texts are never misread, and long ones are read in linear time', t => {
  fc.assert(
    fc.property(fc.string(), text => {
      const ns = parseDuration(text)
      t.true(ns === undefined || Number.isSafeInteger(ns) || Math.abs(ns) <= MAX)
    })
  )
  const readLong = (length: number): void => {
    t.is(parseDuration('9'.repeat(length) + 's'), undefined)
    t.is(parseDuration('0.' + '3'.repeat(length) + 's'), 333333333)
    t.is(parseDuration('1ns'.repeat(length)), length)
  }
  t.true(growth(readLong, 4000, 6) <= 6)
})

test('milliseconds keep their fraction', t => {
  t.is(parseMilliseconds('1.5ms'), 1.5)
  t.is(parseMilliseconds('2s'), 2000)
  t.is(parseMilliseconds('2'), undefined)
})
