import test from 'ava'
import { datacenterText, recordedText } from '../../clients/impact-text.js'

const empty = {
  Gaps: 0,
  Lost: 0,
  Servers: ['n1'],
  NotHeard: [],
  Kept: 0,
  Denied: 0,
  Allowed: 0,
  Unknown: 0,
  Changed: []
}

test('a complete record is counted, an incomplete one says what it lacks', t => {
  const counts = 'Recorded questions since 2026-03-01T12:00:00Z: 1 denied, 2 unknown, 0 allowed, 12 kept'
  const complete = { ...empty, Since: '2026-03-01T12:00:00Z', Kept: 12, Denied: 1, Unknown: 2 }
  t.is(recordedText(complete), counts)
  t.is(
    recordedText({ ...complete, Gaps: 3, Lost: 7, NotHeard: ['n2', 'dc2'] }),
    `${counts}. Not included: 3 pauses, 7 questions that found no room, the records of n2, dc2`
  )
  t.is(
    recordedText({ ...complete, Gaps: 1, Lost: 1 }),
    `${counts}. Not included: a pause, a question that found no room`
  )
})

test('servers that were not heard are named without a recording too', t => {
  t.is(recordedText(empty), undefined)
  t.regex(recordedText({ ...empty, NotHeard: ['dc2'] }) ?? '', /Not included: the records of dc2$/)
})

test('the other datacenters are named by those that are no part of them', t => {
  t.is(datacenterText('dc2', ['dc1', 'dc2']), 'datacenter dc2')
  t.is(datacenterText('*', ['dc1', 'dc2']), 'all datacenters except dc1, dc2')
})
