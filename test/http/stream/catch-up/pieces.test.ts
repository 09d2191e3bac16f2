// Pieces of catch-up equal the live stream, byte for byte.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import fc from 'fast-check'
import type { Commit, Event } from '../../../../events/envelope.js'
import { CommitsPruned } from '../../../../events/log/log.js'
import { MemoryEventLog } from '../../../../events/log/memory.js'
import { SegmentEventLog } from '../../../../events/log/segments/segment-event-log.js'
import { LocalCatchUp } from '../../../../http/stream/catch-up/local-source.js'
import { CpuShare } from '../../../../http/stream/catch-up/cpu-share.js'
import { CatchUpFailed, type CatchUpSource } from '../../../../http/stream/catch-up/source.js'
import {
  THREAD,
  ThreadCatchUp,
  type ThreadCatchUpOptions
} from '../../../../http/stream/catch-up/thread-source.js'
import { allowEverything, authorizerOf, type Authorizer } from '../../../../projections/acl/authorizer.js'
import { parseRules } from '../../../../projections/acl/rules/parse.js'
import { EventFilter } from '../../../../projections/stream/event-filter.js'
import {
  newlineDelimited,
  serverSentEvents,
  type Subscription,
  Selector
} from '../../../../projections/stream/subscription.js'
import { Message } from '../../../../projections/stream/message.js'
import { TopicFilter } from '../../../../projections/stream/topic-filter.js'
import { temporaryFolder, type Scope } from '../../../support/process.js'
import { event } from '../streams.js'
import { runs } from '../../../support/property-runs.js'

const KEYS = ['a', 'a/', 'a/b', 'é"\\', 'rare']
const TOPICS = ['KV', 'Node', 'Service', 'Check', 'Operator', 'ACLToken']

const arbitraryEvent: fc.Arbitrary<Event> = fc
  .record({
    topic: fc.constantFrom(...TOPICS),
    key: fc.constantFrom(...KEYS),
    more: fc.option(fc.uniqueArray(fc.constantFrom(...KEYS), { maxLength: 2 })),
    namespace: fc.constantFrom('', 'default', 'team'),
    partition: fc.constantFrom('default', 'p')
  })
  .map(({ topic, key, more, namespace, partition }) =>
    event(topic, key, { FilterKeys: more, Namespace: namespace, Partition: partition })
  )

const commits = (count: number): readonly Commit[] =>
  fc.sample(fc.array(arbitraryEvent, { minLength: 1, maxLength: 3 }), count).map((Events, i) => ({
    Index: i + 1,
    Time: '2026-01-01T00:00:00Z',
    By: { AccessorID: 'a', Address: '192.0.2.1', RequestID: `r${i}`, Command: 'Test' },
    Events
  }))

const arbitrarySubscription: fc.Arbitrary<Subscription> = fc.record({
  filter: fc
    .array(
      fc.record({
        topic: fc.constantFrom('*', ...TOPICS),
        key: fc.option(fc.constantFrom(...KEYS), { nil: undefined })
      }),
      { maxLength: 3 }
    )
    .map(choices => new TopicFilter(choices)),
  tenancy: fc.record({
    partition: fc.constantFrom('*', 'default', 'p'),
    namespace: fc.constantFrom('*', 'default', 'team')
  }),
  framing: fc.constantFrom(newlineDelimited, serverSentEvents),
  expression: fc.option(fc.constant(new EventFilter('Key != "a/b"')), { nil: undefined }),
  sees: fc.constantFrom('whole' as const, 'any' as const),
  meta: fc.boolean()
})

const rules = (text: string): Authorizer =>
  authorizerOf({
    own: [{ rules: parseRules(text), tenancy: { partition: 'default', namespace: 'default' } }],
    defaultPolicy: 'deny',
    namespaceDefaults: []
  })

const arbitraryAuthorizer: fc.Arbitrary<Authorizer> = fc.constantFrom(
  allowEverything,
  rules('key_prefix "" { policy = "read" }\nkey "a/b" { policy = "deny" }\noperator = "read"'),
  rules('node_prefix "" { policy = "read" }\nservice_prefix "a" { policy = "read" }'),
  rules('operator = "read"\nkey_prefix "" { policy = "read" }\nnode_prefix "" { policy = "read" }'),
  rules('')
)

const expected = (all: readonly Commit[], subscription: Subscription, authorizer: Authorizer): Buffer => {
  const selector = new Selector(subscription, authorizer)
  return Buffer.concat(all.flatMap(commit => selector.frame(new Message(commit)) ?? []))
}

/** Returns the stream of the commits from the first to the last. */
const made = async (
  source: CatchUpSource,
  subscription: Subscription,
  authorizer: Authorizer,
  to: number
): Promise<Buffer> => {
  const reading = source.open(subscription)
  const pieces: Buffer[] = []
  for (let from = 1; from <= to;) {
    const { bytes, next } = await reading.next({ from, to, authorizer })
    if (bytes) pieces.push(bytes)
    from = next
  }
  reading.close()
  return Buffer.concat(pieces)
}

const everything: Subscription = {
  filter: new TopicFilter([]),
  tenancy: { partition: '*', namespace: '*' },
  framing: newlineDelimited,
  sees: 'any',
  meta: false
}

const threadOf = (
  t: Scope,
  log: SegmentEventLog,
  more: Partial<ThreadCatchUpOptions> = {}
): ThreadCatchUp => {
  const source = new ThreadCatchUp({
    path: log.path,
    share: 1,
    pieceBytes: 2048,
    newest: () => log.newestSegment,
    erasures: () => log.erasures,
    onDurable: listener => log.onDurable(listener),
    onDeath: () => {},
    ...more
  })
  t.teardown(() => source.close())
  return source
}

/** Creates a log in its own folder, with segments that are small enough for some to be sealed. */
const logOf = async (t: Scope, all: readonly Commit[], padding = 0): Promise<SegmentEventLog> => {
  const log = await SegmentEventLog.open({ path: temporaryFolder(t), segmentBytes: 1024 * 1024 })
  t.teardown(() => log.close())
  for (const commit of all) {
    const by = { ...commit.By, Command: `Test${'x'.repeat(padding)}` }
    await log.append([{ ...commit, By: by }])
  }
  return log
}

test('the thread, and a log in memory, make the bytes of the live stream: any events, filter and rights', async t => {
  const all = commits(300)
  const log = await logOf(t, all)
  const sealed = await logOf(t, all, 10_000)
  t.true((await sealed.prunableSegments()).length > 2)
  const memory = new MemoryEventLog()
  await memory.append(all)
  const thread = threadOf(t, log)
  const sealedThread = threadOf(t, sealed)
  const local = new LocalCatchUp(memory, { share: new CpuShare(1), pieceBytes: 2048 })
  await fc.assert(
    fc.asyncProperty(arbitrarySubscription, arbitraryAuthorizer, async (subscription, authorizer) => {
      const whole = expected(all, subscription, authorizer).toString()
      t.is((await made(local, subscription, authorizer, 300)).toString(), whole)
      t.is((await made(thread, subscription, authorizer, 300)).toString(), whole)
      if (!subscription.meta)
        t.is((await made(sealedThread, subscription, authorizer, 300)).toString(), whole)
    }),
    { numRuns: runs(60) }
  )
})

test('what sealed segments cannot hold is passed over, and nothing that is wanted', async t => {
  const all = commits(400).map((commit, i) => ({
    ...commit,
    Events:
      i === 57
        ? [event('KV', 'once')]
        : i % 100 === 7
          ? [event('KV', 'x', { FilterKeys: ['seldom'] })]
          : commit.Events
  }))
  const log = await logOf(t, all, 10_000)
  t.true((await log.prunableSegments()).length > 2)
  // Index files are created on first use.
  for await (const commit of log.history({
    topic: 'KV',
    partition: 'default',
    namespace: 'default',
    key: 'once'
  }))
    t.is(commit.Index, 58)
  const thread = threadOf(t, log)
  for (const key of ['once', 'seldom', 'nowhere', 'a', 'a/']) {
    const subscription: Subscription = {
      filter: new TopicFilter([{ topic: 'KV', key }]),
      tenancy: { partition: 'default', namespace: 'default' },
      framing: newlineDelimited,
      sees: 'whole',
      meta: false
    }
    const whole = expected(all, subscription, allowEverything).toString()
    t.is((await made(thread, subscription, allowEverything, 400)).toString(), whole, key)
  }
})

test('each piece names the rights that it was made under, and the next one may be made under others', async t => {
  const all = commits(50)
  const log = await logOf(t, all)
  const reading = threadOf(t, log).open(everything)
  const nothing = rules('')
  const first = await reading.next({ from: 1, to: 50, authorizer: allowEverything })
  t.is(first.authorizer, allowEverything)
  t.truthy(first.bytes)
  // The number of pieces depends on the time.
  for (let from = 1; from <= 50;) {
    const { authorizer, bytes, next } = await reading.next({ from, to: 50, authorizer: nothing })
    t.is(authorizer, nothing)
    t.is(bytes, undefined)
    t.true(next > from && next <= 51)
    from = next
  }
})

test('two logs are read by threads of their own', async t => {
  const [some, others] = [commits(40), commits(40)]
  const [one, two] = [threadOf(t, await logOf(t, some)), threadOf(t, await logOf(t, others))]
  const [first, second] = await Promise.all([
    made(one, everything, allowEverything, 40),
    made(two, everything, allowEverything, 40)
  ])
  t.deepEqual(first, expected(some, everything, allowEverything))
  t.deepEqual(second, expected(others, everything, allowEverything))
  t.not(one.threadId, two.threadId)
})

test('a source that was closed fails what waits for it, and what comes later', async t => {
  const thread = threadOf(t, await logOf(t, commits(3)))
  const reading = thread.open(everything)
  const waiting = reading.next({ from: 1, to: 3, authorizer: allowEverything })
  await thread.close()
  await t.throwsAsync(waiting, { instanceOf: CatchUpFailed })
  await t.throwsAsync(reading.next({ from: 1, to: 3, authorizer: allowEverything }), {
    instanceOf: CatchUpFailed
  })
})

test('a thread that dies fails its readings, and another one continues', async t => {
  const all = commits(20)
  const log = await logOf(t, all)
  const program = join(temporaryFolder(t), 'dies.mjs')
  writeFileSync(
    program,
    `import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ kind }) => { if (kind === 'next') throw new Error('it was asked to die') })`
  )
  const deaths: unknown[] = []
  let lives = 0
  const thread = threadOf(t, log, {
    program: () => (lives++ === 0 ? pathToFileURL(program) : THREAD),
    onDeath: error => void deaths.push(error)
  })
  const reading = thread.open(everything)
  const request = { from: 1, to: 20, authorizer: allowEverything }
  await t.throwsAsync(reading.next(request), { instanceOf: CatchUpFailed, message: /it was asked to die/ })
  await t.throwsAsync(reading.next(request), { instanceOf: CatchUpFailed })
  t.is(deaths.length, 1)
  t.deepEqual(await made(thread, everything, allowEverything, 20), expected(all, everything, allowEverything))
})

test('pruned commits are distinguished from damage', async t => {
  const all = commits(400)
  const log = await logOf(t, all, 10_000)
  const reading = threadOf(t, log).open(everything)
  const request = { to: 400, authorizer: allowEverything }
  t.is((await reading.next({ ...request, from: 1 })).bytes?.toString('latin1', 0, 11), '{"Index":1,')
  const [piece] = await log.prunableSegments()
  const last = piece?.last ?? 0
  await log.prune(last)
  const gone = await t.throwsAsync(reading.next({ ...request, from: 1 }), { instanceOf: CommitsPruned })
  t.is(gone.oldest, last + 1)
  t.is((await reading.next({ ...request, from: last + 1 })).bytes?.toString('latin1', 0, 9), '{"Index":')
})
