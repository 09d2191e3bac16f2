// What subscriptions select by topic, key and type, and that they survive the way to another thread.
import test from 'ava'
import * as fc from 'fast-check'
import type { Event } from '../../../events/envelope.js'
import { EventFilter } from '../../../projections/stream/event-filter.js'
import {
  newlineDelimited,
  serverSentEvents,
  fromMessage,
  subscriptionId,
  toMessage
} from '../../../projections/stream/subscription.js'
import { TopicFilter, type TopicChoice, ALL_TOPICS } from '../../../projections/stream/topic-filter.js'

const event = (Topic: string, Key: string, more: Partial<Event> = {}): Event => ({
  Topic,
  Type: `${Topic}Changed`,
  Key,
  Namespace: 'default',
  Partition: 'default',
  FilterKeys: null,
  Payload: {},
  ...more
})

const choice = (topic: string, key?: string): TopicChoice => ({ topic, key })

test('a key that ends in a slash means everything below it, however deep, and nothing beside it', t => {
  const filter = new TopicFilter([choice('ConfigEntry', 'service-defaults/'), choice('KV', 'a/b/')])
  t.true(filter.matches(event('ConfigEntry', 'service-defaults/web')))
  t.true(filter.matches(event('KV', 'a/b/')))
  t.true(filter.matches(event('KV', 'a/b/c/d')))
  t.false(filter.matches(event('ConfigEntry', 'service-defaults')))
  t.false(filter.matches(event('KV', 'a/bc')))
  t.false(filter.matches(event('KV', 'x/a/b/c')))
  t.false(filter.matches(event('Session', 'a/b/c')))
})

test('a key without a slash at its end means no other key that begins with it', t => {
  const filter = new TopicFilter([choice('KV', 'a/b')])
  t.true(filter.matches(event('KV', 'a/b')))
  t.false(filter.matches(event('KV', 'a/b/c')))
})

test('types narrow the topics', t => {
  const filter = new TopicFilter([choice('KV'), choice('Node', 'a')], ['KVDelete', 'NodeDeregistration'])
  t.true(filter.matches(event('KV', 'k', { Type: 'KVDelete' })))
  t.false(filter.matches(event('KV', 'k', { Type: 'KVSet' })))
  t.true(filter.matches(event('Node', 'a', { Type: 'NodeDeregistration' })))
  t.false(filter.matches(event('Node', 'b', { Type: 'NodeDeregistration' })))
  t.true(new TopicFilter([], ['KVDelete']).matches(event('KV', 'k', { Type: 'KVDelete' })))
})

test('positions of cursors come only to who names their topic', t => {
  const moved = event('Cursor', 'load', { Type: 'CursorMoved' })
  for (const choices of [[], [choice(ALL_TOPICS)], [choice(ALL_TOPICS, 'load')], [choice('KV')]])
    t.false(new TopicFilter(choices).matches(moved))
  t.true(new TopicFilter([choice('Cursor')]).matches(moved))
  t.true(new TopicFilter([choice(ALL_TOPICS), choice('Cursor')]).matches(moved))
  t.not(new TopicFilter([choice(ALL_TOPICS), choice('Cursor')]).id, new TopicFilter([]).id)
  t.true(new TopicFilter([]).matches(event('Cursor', 'load', { Type: 'CursorUpserted' })))
})

const tenancy = { partition: 'default', namespace: '*' }

test('a subscription that crossed to another thread is the same', t => {
  const asked = {
    filter: new TopicFilter([choice('KV', 'a/'), choice('NodeDrain')], ['KVSet']),
    tenancy,
    framing: serverSentEvents,
    expression: new EventFilter('"x" in Key and Index == 3'),
    sees: 'any',
    meta: true
  } as const
  const crossed = fromMessage(structuredClone(toMessage(asked)))
  t.is(subscriptionId(crossed), subscriptionId(asked))
  t.deepEqual(toMessage(crossed), toMessage(asked))
  t.true(crossed.expression?.passes(event('KV', 'a/x'), 3))
  t.false(crossed.expression?.passes(event('KV', 'a/x'), 4))
})

test('subscriptions that differ in anything have ids that differ', t => {
  const plain = {
    filter: new TopicFilter([choice(ALL_TOPICS)]),
    tenancy,
    framing: newlineDelimited,
    sees: 'whole',
    meta: false
  } as const
  const others = [
    plain,
    { ...plain, filter: new TopicFilter([choice('KV')]) },
    { ...plain, filter: new TopicFilter([choice(ALL_TOPICS)], ['KVSet']) },
    { ...plain, tenancy: { ...tenancy, namespace: 'default' } },
    { ...plain, framing: serverSentEvents },
    { ...plain, expression: new EventFilter('Key == a') },
    { ...plain, sees: 'any' as const },
    { ...plain, meta: true }
  ]
  t.is(new Set(others.map(subscriptionId)).size, others.length)
  t.is(subscriptionId({ ...plain, filter: new TopicFilter([]) }), subscriptionId(plain))
})

test('what a filter matches is what its choices mean, one by one', t => {
  const topics = ['KV', 'Node', 'Cursor', 'ConfigEntry']
  const types = ['KVSet', 'NodeDrain', 'CursorMoved', 'CursorUpserted']
  const key = fc
    .array(fc.constantFrom('a', 'b', '/'), { minLength: 1, maxLength: 5 })
    .map(parts => parts.join(''))
  const choices = fc.array(
    fc.record<TopicChoice>({
      topic: fc.constantFrom(...topics, 'NodeDrain', ALL_TOPICS),
      key: fc.option(key, { nil: undefined })
    }),
    { maxLength: 4 }
  )
  const events = fc.record({
    Topic: fc.constantFrom(...topics),
    Type: fc.constantFrom(...types),
    Key: key,
    FilterKeys: fc.option(fc.array(key, { maxLength: 2 }))
  })
  const holds = (
    wanted: string | undefined,
    { Key, FilterKeys }: Pick<Event, 'Key' | 'FilterKeys'>
  ): boolean =>
    wanted === undefined ||
    Key === wanted ||
    (FilterKeys ?? []).includes(wanted) ||
    (wanted.endsWith('/') && Key.startsWith(wanted))
  const means = ({ topic, key: wanted }: TopicChoice, each: Event): boolean => {
    if (!holds(wanted, each)) return false
    if (topic === 'NodeDrain') return each.Topic === 'Node' && each.Type === 'NodeDrain'
    if (topic !== ALL_TOPICS) return each.Topic === topic
    return each.Topic !== 'Cursor' || each.Type !== 'CursorMoved'
  }
  fc.assert(
    fc.property(
      choices,
      fc.uniqueArray(fc.constantFrom(...types), { maxLength: 2 }),
      fc.array(events, { maxLength: 8 }),
      (chosen, narrowed, made) => {
        const filter = new TopicFilter(chosen, narrowed)
        const asked = chosen.length > 0 ? chosen : [choice(ALL_TOPICS)]
        for (const { Topic, Key, ...rest } of made) {
          const each = event(Topic, Key, rest)
          const expected =
            (narrowed.length === 0 || narrowed.includes(each.Type)) && asked.some(one => means(one, each))
          t.is(filter.matches(each), expected, JSON.stringify([chosen, narrowed, each]))
        }
      }
    )
  )
})
