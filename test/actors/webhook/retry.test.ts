import test from 'ava'
import { retryAfterOf, retryDelay } from '../../../actors/outgoing/guarded-client.js'

const bounds = { min: 1000, max: 60_000 }

test('the wait doubles with each failure up to the max, and a random half of it is left out', t => {
  t.deepEqual(
    [1, 2, 3, 6, 7, 100, 5000].map(failures => retryDelay(failures, bounds, 0)),
    [1000, 2000, 4000, 32_000, 60_000, 60_000, 60_000]
  )
  t.is(retryDelay(3, bounds, 1), 2000)
  t.is(retryDelay(3, bounds, 0.5), 3000)
})

test('Retry-After is seconds or a date; anything else is none', t => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  t.is(retryAfterOf('120', now), 120_000)
  t.is(retryAfterOf('0', now), 0)
  t.is(retryAfterOf('Thu, 01 Jan 2026 00:01:00 GMT', now), 60_000)
  t.is(retryAfterOf('Wed, 31 Dec 2025 00:01:00 GMT', now), 0)
  for (const text of [undefined, '', 'soon', '-5', '99999999999999'])
    t.is(retryAfterOf(text, now), undefined, text)
})
