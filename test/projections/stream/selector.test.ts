// What is settled of the events of a kind without a look at each of them.
import test from 'ava'
import fc from 'fast-check'
import type { Event } from '../../../events/envelope.js'
import type { EventKind } from '../../../events/stored.js'
import { allowEverything, compileAuthorizer, type Authorizer } from '../../../projections/acl/authorizer.js'
import { parseRules } from '../../../projections/acl/rules/parse.js'
import { EventFilter } from '../../../projections/stream/event-filter.js'
import { newlineDelimited, type Subscription, Selector } from '../../../projections/stream/subscription.js'
import { Message } from '../../../projections/stream/message.js'
import { TopicFilter } from '../../../projections/stream/topic-filter.js'
import { event } from '../../http/stream/streams.js'
import { label, scopedRules } from '../acl/arbitraries.js'
import { runs } from '../../support/property-runs.js'

const TOPICS = ['KV', 'Node', 'Service', 'Check', 'Operator', 'ACLToken', 'Job', 'Cursor', 'Erasure', 'Other']

const everything: Subscription = {
  filter: new TopicFilter([]),
  tenancy: { partition: '*', namespace: '*' },
  framing: newlineDelimited,
  sees: 'whole',
  meta: false
}

const kindOf = ({ Topic, Type, Namespace, Partition }: Event): EventKind => ({
  Topic,
  Type,
  Namespace,
  Partition
})

const settledOf = (
  subscription: Partial<Subscription>,
  authorizer: Authorizer,
  events: readonly Event[]
): readonly string[] => [
  ...new Selector({ ...everything, ...subscription }, authorizer).unconditionalTopics(events.map(kindOf))
]

const withRules = (text: string): Authorizer =>
  compileAuthorizer(
    [{ rules: parseRules(text), tenancy: { partition: 'default', namespace: 'default' } }],
    'deny'
  )

const arbitraryEvent: fc.Arbitrary<Event> = fc
  .record({
    topic: fc.constantFrom(...TOPICS),
    key: label,
    namespace: fc.constantFrom('', 'default', 'team'),
    partition: fc.constantFrom('default', 'p'),
    isErased: fc.boolean()
  })
  .map(({ topic, key, namespace, partition, isErased }) =>
    event(topic, key, {
      Namespace: namespace,
      Partition: partition,
      ...(isErased ? { Payload: {}, Erased: true } : {})
    })
  )

const narrowed: fc.Arbitrary<Subscription> = fc.record({
  filter: fc
    .record({
      choices: fc.array(
        fc.record({
          topic: fc.constantFrom('*', ...TOPICS),
          key: fc.option(label, { nil: undefined })
        }),
        { maxLength: 3 }
      ),
      types: fc.uniqueArray(fc.constantFrom(...TOPICS.map(topic => `${topic}Upserted`)), { maxLength: 2 })
    })
    .map(({ choices, types }) => new TopicFilter(choices, types)),
  tenancy: fc.record({
    partition: fc.constantFrom('*', 'default', 'p'),
    namespace: fc.constantFrom('*', 'default', 'team')
  }),
  framing: fc.constant(newlineDelimited),
  expression: fc.option(fc.constant(new EventFilter('Key != "ab"')), { nil: undefined }),
  sees: fc.constantFrom('whole' as const, 'any' as const),
  meta: fc.boolean()
})

/** Little of a narrowed one is settled. */
const arbitrarySubscription = fc.oneof({ weight: 3, arbitrary: narrowed }, fc.constant(everything))

const arbitraryAuthorizer: fc.Arbitrary<Authorizer> = fc.oneof(
  fc.constant(allowEverything),
  fc
    .record({
      own: fc.array(scopedRules, { minLength: 1, maxLength: 2 }),
      defaultPolicy: fc.constantFrom('allow' as const, 'deny' as const),
      namespaceDefaults: fc.array(scopedRules, { maxLength: 1 })
    })
    .map(({ own, defaultPolicy, namespaceDefaults }) =>
      compileAuthorizer(own, defaultPolicy, namespaceDefaults)
    )
)

test('every event of a settled topic is selected, whatever it is about', t => {
  let settled = 0
  fc.assert(
    fc.property(
      arbitrarySubscription,
      arbitraryAuthorizer,
      fc.array(arbitraryEvent, { minLength: 1, maxLength: 8 }),
      (subscription, authorizer, events) => {
        const topics = new Set(settledOf(subscription, authorizer, events))
        const selector = new Selector(subscription, authorizer)
        for (const each of events.filter(({ Topic }) => topics.has(Topic))) {
          settled++
          const commit = {
            Index: 1,
            Time: '2026-01-01T00:00:00Z',
            By: { AccessorID: '', Address: '', RequestID: '', Command: 'Test' },
            Events: [each]
          }
          t.not(selector.frame(new Message(commit)), undefined, JSON.stringify(each))
        }
      }
    ),
    { numRuns: runs(2000) }
  )
  t.true(settled > 0)
})

test('a caller who may see everything needs no look at events, except those of topics sent on request only', t => {
  const events = TOPICS.map(topic => event(topic, 'a'))
  const known = TOPICS.filter(topic => topic !== 'Other')
  t.deepEqual(
    settledOf({}, allowEverything, events),
    known.filter(topic => topic !== 'Cursor' && topic !== 'Erasure')
  )
  t.deepEqual(
    settledOf({ filter: new TopicFilter([{ topic: 'Cursor', key: undefined }]) }, allowEverything, events),
    ['Cursor']
  )
  t.deepEqual(settledOf({ expression: new EventFilter('Key != "a"') }, allowEverything, events), [])
})

test('a permission on every resource decides its topic; one denied resource, or a key, does not', t => {
  const events = [event('KV', 'a'), event('Node', 'a')]
  const all = 'operator = "read"\nkey_prefix "" { policy = "read" }'
  t.deepEqual(settledOf({}, withRules(all), events), ['KV'])
  t.deepEqual(settledOf({}, withRules(`${all}\nkey "secret" { policy = "deny" }`), events), [])
  const ofKey = new TopicFilter([{ topic: 'KV', key: 'a' }])
  t.deepEqual(settledOf({ filter: ofKey }, withRules(all), events), [])
  t.deepEqual(settledOf({}, withRules('key_prefix "" { policy = "read" }'), events), ['KV'])
})

test('a topic with a kind that is not of the tenancy is not settled', t => {
  const events = [event('KV', 'a'), event('KV', 'a', { Namespace: 'team' }), event('Node', 'a')]
  const tenancy = { partition: 'default', namespace: 'default' }
  t.deepEqual(settledOf({ tenancy }, allowEverything, events), ['Node'])
})
