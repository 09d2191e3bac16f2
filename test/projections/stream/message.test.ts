// The lines of commits: the same of a commit in memory and of one that the log keeps.
import test from 'ava'
import { DEFAULT_TENANCY, type Commit, type Event } from '../../../events/envelope.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { compileAuthorizer } from '../../../projections/acl/authorizer.js'
import { EventFilter } from '../../../projections/stream/event-filter.js'
import { newlineDelimited, Selector } from '../../../projections/stream/subscription.js'
import { Message } from '../../../projections/stream/message.js'
import { StoredMessage } from '../../../projections/stream/stored-message.js'
import { TopicFilter } from '../../../projections/stream/topic-filter.js'
import { commitOf } from '../../events/commits.js'

const stored = async (commit: Commit): Promise<StoredMessage> => {
  const log = new MemoryEventLog()
  await log.append([commit])
  for await (const [record] of log.records(1)) if (record) return new StoredMessage(record)
  throw new Error('there is no record')
}

const COMMIT = commitOf(1, { events: 3, marker: 'Root=1-67891233;x="y"', secrets: { SecretID: 'hidden' } })
const META =
  '"Meta":{"Time":"2026-01-02T03:04:05Z","AccessorID":"a","RequestID":"Root=1-67891233;x=\\"y\\"","Command":"Test","Address":"127.0.0.1"}'

const costOf = (expression: string | undefined, commit: Commit): number => {
  const subscription = {
    filter: new TopicFilter([]),
    tenancy: DEFAULT_TENANCY,
    framing: newlineDelimited,
    expression: expression === undefined ? undefined : new EventFilter(expression),
    sees: 'whole',
    meta: false
  } as const
  return new Selector(subscription, compileAuthorizer([], 'allow')).costOf(new Message(commit))
}

test('an expression costs what it looks through', t => {
  const large = commitOf(1, { size: 100_000 })
  t.is(costOf(undefined, large), 0)
  t.is(costOf('Key == a', large), 0)
  t.true(costOf('Key matches "^web-[0-9]"', large) < 0.01)
  t.true(costOf('Payload.KV.Key matches "^web-[0-9]"', large) > 1)
  t.true(costOf('Payload.KV.Key matches "^web-[0-9]"', commitOf(1)) < 0.1)
  t.true(costOf('Key matches "^web-[0-9]"', commitOf(1, { events: 10_000 })) > 1)
})

for (const form of ['plain', 'meta'] as const)
  test(`a line ${form === 'meta' ? 'has the caller and time of its commit' : 'has only the events'}`, async t => {
    const message = new Message(COMMIT)
    const kept = await stored(COMMIT)
    const some = <E extends Event>(events: readonly E[]): readonly E[] => events.filter((_, i) => i !== 1)
    const whole = message.part(message.events, form)?.toString() ?? ''
    t.true(
      whole.startsWith(form === 'meta' ? `{"Index":1,${META},"Events":[{` : '{"Index":1,"Events":[{'),
      whole
    )
    t.is(kept.part(kept.events, form)?.toString(), whole)
    t.is(message.part(message.events, form)?.toString(), whole)
    const part = message.part(some(message.events), form)?.toString()
    t.is(kept.part(some(kept.events), form)?.toString(), part)
    t.deepEqual(JSON.parse(part ?? ''), { ...JSON.parse(whole), Events: some(JSON.parse(whole).Events) })
    t.is(message.part([], form), undefined)
    t.notRegex(whole, /hidden|Continues/)
  })
