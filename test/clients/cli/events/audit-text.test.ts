import test from 'ava'
import type { Look } from '../../../../clients/cli/remote/output.js'
import { auditText } from '../../../../clients/cli/events/audit.js'

const Time = '2026-01-31T12:00:00Z'
const look: Look = { isWide: false, isAbsolute: true, paint: (_, text) => text, now: 0 }
const denied = { Time, Method: 'PUT', Path: '/v1/kv/web/port', Address: '192.0.2.7' }

test('a denied attempt tells who asked for what, and which right was missing', t => {
  t.is(
    auditText({ ...denied, AccessorID: 'acc-1', Permission: 'key:write', On: 'web/port' }, look),
    `${Time}  PUT /v1/kv/web/port  token acc-1 from 192.0.2.7: lacks key:write on "web/port"`
  )
})

test('equal denied attempts and omitted ones are counted', t => {
  t.is(
    auditText({ ...denied, AccessorID: '', Refusal: 'ACL not found', Count: 3 }, look),
    `${Time}  PUT /v1/kv/web/port  without a valid token from 192.0.2.7: ACL not found, 3 times`
  )
  t.is(auditText({ Time, LeftOut: 7 }, look), `${Time}  7 more were denied`)
})

test('erased parts of a commit are marked', t => {
  const erased = { Topic: 'KV', Type: 'KVSet', Key: 'a', Namespace: 'default', Erased: true } as const
  t.is(
    auditText({ Index: 42, Time, By: { Erased: true, Command: '' }, Events: [erased] }, look),
    `42  ${Time}  by someone whose traces were erased\n    KV KVSet  default/a  (erased)`
  )
})
