// Parsing of stream requests, and the errors of invalid ones.
import test from 'ava'
import { Refusal } from '../../../actors/refusal.js'
import { parseStreamRequest, type StreamRequest } from '../../../http/stream/subscription-parsing.js'
import { Query } from '../../../http/wire/query.js'
import { newlineDelimited } from '../../../projections/stream/subscription.js'

const wish = (text: string, seen?: string): StreamRequest =>
  parseStreamRequest({ values: new Query(text), seen }, newlineDelimited)

const MOMENT = Date.parse('2026-01-31T12:00:00Z')

for (const [text, start] of [
  ['', { kind: 'backlog' }],
  ['index=', { kind: 'backlog' }],
  ['index=0', { kind: 'backlog' }],
  ['index=7', { kind: 'index', index: 7 }],
  ['index=beginning', { kind: 'beginning' }],
  ['index=now', { kind: 'now' }],
  ['after=7', { kind: 'index', index: 8 }],
  ['after=0', { kind: 'index', index: 1 }],
  ['since=2026-01-31T12:00:00Z', { kind: 'time', time: MOMENT }],
  ['since=2026-01-31T13:00:00%2B01:00', { kind: 'time', time: MOMENT }],
  // Clients that always send an index send 0 for none.
  ['index=0&since=2026-01-31T12:00:00Z', { kind: 'time', time: MOMENT }],
  ['index=0&after=3', { kind: 'index', index: 4 }],
  ['index=4&after=3', { kind: 'index', index: 4 }]
] as const)
  test(`a start by "${text}"`, t => {
    t.deepEqual(wish(text).range.start, start)
  })

test('a resumed stream repeats the original query, and continues after the last index seen', t => {
  for (const text of ['index=1', 'after=1', 'since=2026-01-31T12:00:00Z', 'index=now'])
    t.deepEqual(wish(text, '9').range.start, { kind: 'index', index: 10 })
})

for (const [text, until] of [
  ['', undefined],
  ['until=', undefined],
  ['until=7', { kind: 'index', index: 7 }],
  ['until=now', { kind: 'now' }],
  ['until=2026-01-31T12:00:00Z', { kind: 'time', time: MOMENT }]
] as const)
  test(`an end by "${text}"`, t => {
    t.deepEqual(wish(text).range.until, until)
  })

test('a limit is a number of messages', t => {
  t.is(wish('limit=5').range.limit, 5)
  t.is(wish('').range.limit, undefined)
})

for (const [text, reason] of [
  ['index=5&after=5', /^Invalid after: index and after cannot both be given: they name different starts$/],
  ['index=5&since=2026-01-31T12:00:00Z', /^Invalid since: index and since cannot both be given/],
  ['after=5&since=2026-01-31T12:00:00Z', /^Invalid since: after and since cannot both be given/],
  ['index=now&after=5', /^Invalid after: index and after/],
  ['snapshot=true&index=5', /^Invalid snapshot: index and snapshot cannot both be given/],
  ['cursor=load&since=2026-01-31T12:00:00Z', /^Invalid cursor: since and cursor cannot both be given/],
  ['after=x', /^Unable to parse after: "x" is not an integer$/],
  ['after=-1', /^Invalid after: "-1" is negative$/],
  ['since=yesterday', /^Invalid since: "yesterday" is no time such as 2026-01-31T12:00:00Z$/],
  ['since=2026-02-30T12:00:00Z', /^Invalid since: /],
  ['until=soon', /^Invalid until: "soon" is no time such as .*, no index and not "now"$/],
  ['until=-1', /^Invalid until: "-1" is negative$/],
  ['limit=0', /^Invalid limit: "0" messages are none: it must be at least 1$/],
  ['limit=many', /^Unable to parse limit: "many" is not an integer$/],
  ['ns=a&namespace=b', /^Invalid namespace: namespace "b" and ns "a" are one parameter, and differ$/],
  ['partition=a&ap=b', /^Invalid partition: partition "a" and ap "b" are one parameter, and differ$/],
  ['ns=a%20b', /^Invalid namespace "a b": it must be a DNS label/],
  ['partition=-', /^Invalid partition "-": it must be a DNS label/],
  ['type=KVSets', /^Invalid type query: unknown type "KVSets"$/],
  ['topic=any&topic=KV', /^Invalid topic query: "any" cannot be combined with other topics/],
  ['topic=Any', /^Invalid topic query: unknown topic "Any"$/],
  ['filter=Key', /^Failed to create boolean expression evaluator: /],
  ['filter=Kee%20==%20a', /^Failed to create boolean expression evaluator: Selector "Kee" is not valid$/],
  ['meta=maybe', /^Invalid meta: "maybe" is neither true nor false$/],
  ['snapshot=1', /^Invalid snapshot: "1" is neither true nor false$/]
] as const)
  test(`refused, naming the parameter and the rule: ${text}`, t => {
    const { message, kind } = t.throws(() => wish(text), { instanceOf: Refusal })
    t.is(kind, 'invalid')
    t.regex(message, reason)
  })

test('a namespace is said by either name, in any case', t => {
  for (const text of ['ns=Team', 'namespace=team', 'ns=team&namespace=TEAM', 'ns=&namespace=team'])
    t.deepEqual(wish(text).subscription.tenancy, { partition: 'default', namespace: 'team' })
  t.deepEqual(wish('ns=*&partition=*').subscription.tenancy, { partition: '*', namespace: '*' })
})

test('where the parameters name no tenancy, the headers count', t => {
  const tenancy = { namespace: 'Team', partition: undefined }
  const asked = (text: string) =>
    parseStreamRequest({ values: new Query(text), tenancy }, newlineDelimited).subscription.tenancy
  t.deepEqual(asked(''), { partition: 'default', namespace: 'team' })
  t.deepEqual(asked('ns=other'), { partition: 'default', namespace: 'other' })
})

test('topics, types and the expression select together', t => {
  const { filter, expression, sees } = wish(
    'topic=KV:a/&topic=Node&type=KVSet&type=NodeEvent&filter=Key%20!=%20b'
  ).subscription
  t.deepEqual(filter.choices, [
    { topic: 'KV', key: 'a/' },
    { topic: 'Node', key: undefined }
  ])
  t.deepEqual(filter.types, ['KVSet', 'NodeEvent'])
  t.is(expression?.text, 'Key != b')
  t.is(sees, 'whole')
  t.is(wish('topic=any:a').subscription.sees, 'any')
})
