// Bodies become what commands say, by the declarations of the things.
import test from 'ava'
import { Refusal } from '../../../../actors/refusal.js'
import { queryShape } from '../../../../events/prepared-query.js'
import { sessionShape } from '../../../../events/session.js'
import { inputsOf } from '../../../../http/wire/bodies/input.js'

const SECOND = 1e9
const sessionOf = inputsOf(sessionShape, 'Request decode failed')
const queryOf = inputsOf(queryShape)

test('a delay is given in seconds, in nanoseconds or as a duration', t => {
  const delayOf = (LockDelay: string | number): number => sessionOf({ LockDelay }).LockDelay
  t.is(delayOf('1m'), 60 * SECOND)
  t.is(delayOf(5), 5 * SECOND)
  t.is(delayOf(999.9), 999 * SECOND)
  t.is(delayOf(1000), 1000)
  t.is(delayOf(0), 0)
})

test('a delay that is none is refused', t => {
  for (const [given, reason] of [
    ['soon', /^Request decode failed: field "LockDelay": invalid duration "soon"/],
    ['3000h', /^Request decode failed: LockDelay 3000h is out of range$/],
    [1e17, /^Request decode failed: LockDelay 100000000000000000 is out of range$/]
  ] as const)
    t.throws(() => sessionOf({ LockDelay: given }), { instanceOf: Refusal, message: reason })
})

test('null stays null where it says something', t => {
  t.is(sessionOf({ NodeChecks: null }).NodeChecks, null)
  t.deepEqual(sessionOf({}).NodeChecks, ['serfHealth'])
})

test('an object that is not given has the defaults of its fields, as one that is empty', t => {
  const none = queryOf({})
  t.deepEqual(none.Template, { Type: '', Regexp: '', RemoveEmptyTags: false })
  t.deepEqual(none.Service.Failover, { NearestN: 0, Datacenters: null })
  t.deepEqual(queryOf({ Template: {}, Service: { Failover: {} }, DNS: {} }), none)
})
