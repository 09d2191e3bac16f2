// What expressions select of events, and what they cost.
import test from 'ava'
import { nodeEvent, serviceEvent } from '../../../actors/catalog/catalog-changes.js'
import { DEFAULT_TENANCY, type Event } from '../../../events/envelope.js'
import { FilterError } from '../../../projections/language/filter.js'
import { EventFilter, FilterTooExpensive } from '../../../projections/stream/event-filter.js'
import { PAYLOAD_FIELDS } from '../../../projections/stream/payload-fields.js'
import { nodeInput, serviceInput } from '../../support/catalog.js'

const indexes = { CreateIndex: 1, ModifyIndex: 2 }

const entry = (Key: string, fields: object = {}): Event => ({
  Topic: 'KV',
  Type: 'KVSet',
  Key,
  Namespace: 'default',
  Partition: 'default',
  FilterKeys: ['a/'],
  Payload: { KV: { Key, Value: null, Flags: 0, LockIndex: 0, ...indexes, ...fields } }
})

const host = {
  partition: 'default',
  node: { ...nodeInput('web-1'), Meta: { rack: 'r1' }, ...indexes },
  registeredAt: '2026-01-01T00:00:00Z',
  status: 'ready' as const,
  statusUpdatedAt: 0,
  eligible: true
}
const node = nodeEvent('NodeRegistration', host)
const service = serviceEvent(
  'ServiceRegistration',
  {
    ...DEFAULT_TENANCY,
    node: 'web-1',
    service: { ...serviceInput('web'), Port: 80, ...indexes },
    agent: true
  },
  host
)

for (const [expression, event] of [
  ['Topic == KV and Type == KVSet and Key == "a/b"', entry('a/b')],
  ['"a/" in FilterKeys and Namespace == default and Partition == default', entry('a/b')],
  ['Index == 7', entry('a')],
  ['Payload.KV.Flags == 42', entry('a', { Flags: 42 })],
  ['Payload.KV.Session matches "^11" and Key matches "^a"', entry('a', { Session: '1122' })],
  ['Payload.Node.Name == "web-1" and Payload.Node.Meta.rack == r1', node],
  ['Payload.Node.Status == ready and Payload.Node.SchedulingEligibility == eligible', node],
  ['Payload.Service.ServiceName == web and Payload.Service.Port == 80', service],
  ['Payload.Service.Node matches "^web" and not Topic == KV', service]
] as const)
  test(`selects: ${expression}`, t => {
    t.true(new EventFilter(expression).passes(event, 7))
    t.false(new EventFilter(`not (${expression})`).passes(event, 7))
  })

test('a field of another topic counts as empty', t => {
  t.false(new EventFilter('Payload.KV.Key == a').passes(node, 1))
  t.true(new EventFilter('Payload.KV.Flags != 42').passes(node, 1))
})

test('what no payload declares cannot be selected, least of all a secret', t => {
  for (const expression of [
    'Payload.KV.Colour == red',
    'Payload.ACLToken.SecretID == x',
    'Payload == x',
    'Time == x'
  ])
    t.throws(() => new EventFilter(expression), {
      instanceOf: FilterError,
      message: /is not valid|Invalid match/
    })
  t.true(Object.keys(PAYLOAD_FIELDS).length > 10)
})

test('the error for a text that is too long for a pattern names the index of its event', t => {
  const filter = new EventFilter('Payload.KV.Value matches "a.*b.*c"')
  t.true(filter.passes(entry('k', { Value: 'abc' }), 1))
  const fault = t.throws(() => filter.passes(entry('k', { Value: 'a'.repeat(100_000) }), 9), {
    instanceOf: FilterTooExpensive
  })
  t.is(fault.index, 9)
})

test('only what looks through texts has a weight', t => {
  t.is(new EventFilter('Key == a and Payload.KV.Flags == 1').weight, 0)
  t.is(new EventFilter('"a" in Key').weight, 1)
  t.is(new EventFilter('Key matches "a{50}" or "b" in Key').weight, 51)
})
