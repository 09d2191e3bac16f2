// Conversion of bodies to the input of commands, following the resource definitions.
import test from 'ava'
import { Refusal } from '../../../../actors/refusal.js'
import { checkDefinition, checkResource } from '../../../../events/check.js'
import { queryDefinition } from '../../../../events/prepared-query.js'
import { sessionDefinition } from '../../../../events/session.js'
import { catalogCheck } from '../../../../http/routes/catalog/inputs.js'
import { bodySchema } from '../../../../http/schemas/definition-schemas.js'
import { inputsOf } from '../../../../http/wire/route.js'
import { validatorOf } from '../../../../http/wire/bodies/body.js'

const SECOND = 1e9
const sessionOf = inputsOf(sessionDefinition, 'Request decode failed')
const queryOf = inputsOf(queryDefinition)
const definitionOf = inputsOf({ name: 'Definition', fields: checkDefinition.fields })

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

test('a duration that is kept as text is printed in one way', t => {
  const intervalOf = (Interval: string | number): string => definitionOf({ Interval }).Interval
  t.is(intervalOf('60s'), '1m0s')
  t.is(intervalOf(1.5 * SECOND), '1.5s')
  for (const none of ['', '0s', 0, 0.5]) t.is(intervalOf(none), '')
  t.throws(() => intervalOf('soon'), {
    instanceOf: Refusal,
    message: /field "Interval": invalid duration "soon"/
  })
})

test('nanoseconds are given as a number or as a duration', t => {
  const ttlOf = (TTL: string | number): number => definitionOf({ TTL }).TTL
  t.is(ttlOf('15s'), 15 * SECOND)
  t.is(ttlOf(999.9), 999)
  t.is(ttlOf(''), 0)
  t.throws(() => ttlOf('soon'), { instanceOf: Refusal, message: /field "TTL": invalid duration "soon"/ })
})

test('other fields of an open object are ignored, and refused elsewhere', t => {
  const body = validatorOf(bodySchema(checkResource))
  const Definition = { HTTP: 'http://a', Other: 1 }
  t.true(body.Check({ Definition }))
  t.false(body.Check({ Other: 1 }))
  t.deepEqual(catalogCheck({ Definition }, 'n').Definition, { HTTP: 'http://a' })
})

test('a duration as a number wins over the text, also when it is none', t => {
  const definition = { Interval: '10s', Timeout: '1s', IntervalDuration: 5 * SECOND, TimeoutDuration: 0 }
  t.deepEqual(catalogCheck({ Definition: definition }, 'n').Definition, { Interval: '5s' })
})
