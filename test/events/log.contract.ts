// What every engine of the log promises; run by the test file of each.
import type { ExecutionContext, TestFn } from 'ava'
import * as fc from 'fast-check'
import type { Commit } from '../../events/envelope.js'
import { type EventLog, LogFailure } from '../../events/log/log.js'
import { idempotentResponseAt, indexAt, timeAt } from '../../events/log/lookups.js'
import { type ChainedLog, verifyChain } from '../../events/log/verify.js'
import { formatTime, justAfter } from '../../events/time.js'
import { responseOf, collect, commitOf } from './commits.js'

type TestedLog = EventLog & ChainedLog & { readonly headHash: string }

/**
 * @param open a new, empty log each time; the engine's test file cleans up after it
 * @param form tells apart the titles of several forms of one engine
 */
export function contract(ava: TestFn, open: () => Promise<TestedLog>, form = ''): void {
  const test = (title: string, run: (t: ExecutionContext) => Promise<void>): void =>
    ava(`${form}${title}`, run)
  test('an empty log has index 0 and nothing to read', async t => {
    const log = await open()
    t.is(log.durableIndex, 0)
    t.deepEqual(await collect(log.read(1)), [])
    t.deepEqual(
      await collect(log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'a' })),
      []
    )
    t.is(log.headHash, '0'.repeat(64))
    await log.close()
  })

  test('what was appended is read back whole, from any index', async t => {
    const log = await open()
    const commits = [commitOf(1), commitOf(2, { events: 3, secrets: { SecretID: 's' } }), commitOf(3)]
    await log.append(commits)
    t.is(log.durableIndex, 3)
    t.deepEqual(await collect(log.read(0)), commits)
    t.deepEqual(await collect(log.read(2)), commits.slice(1))
    t.deepEqual((await collect(log.pages(0))).flat(), commits)
    t.deepEqual((await collect(log.pages(2))).flat(), commits.slice(1))
    t.deepEqual(await collect(log.pages(4)), [])
    t.deepEqual(await collect(log.read(4)), [])
    await log.close()
  })

  test('an answer that was kept with a commit is found by its index', async t => {
    const log = await open()
    const kept = { ...commitOf(2, { events: 2 }), Answer: responseOf('{"ID":"x"}') }
    await log.append([commitOf(1), kept, commitOf(3)])
    t.deepEqual(await idempotentResponseAt(log, 2), kept.Answer)
    t.is(await idempotentResponseAt(log, 3), undefined)
    t.deepEqual(await collect(log.read(2)), [kept, commitOf(3)])
    await log.close()
  })

  test('appends in flight become durable in order, and nothing is read before', async t => {
    const log = await open()
    const order: number[] = []
    const heard: number[] = []
    const stop = log.onDurable(index => heard.push(index))
    const appends = Array.from({ length: 200 }, async (_, i) => {
      await log.append([commitOf(i + 1)])
      t.true(log.durableIndex >= i + 1)
      order.push(i + 1)
    })
    t.is(log.durableIndex, 0)
    t.deepEqual(await collect(log.read(1)), [])
    await Promise.all(appends)
    t.deepEqual(
      order,
      Array.from({ length: 200 }, (_, i) => i + 1)
    )
    t.is(heard.at(-1), 200)
    t.deepEqual(
      heard,
      heard.toSorted((a, b) => a - b)
    )
    stop()
    await log.append([commitOf(201)])
    t.is(heard.at(-1), 200)
    await log.close()
  })

  test('a time finds the first commit that is not older', async t => {
    const log = await open()
    const times: number[] = []
    t.is(await indexAt(log, 0), 1)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(2), { maxLength: 30 }),
        fc.array(fc.nat(40_000), { minLength: 1, maxLength: 3 }),
        async (gaps, asked) => {
          // All commits together are one log, whose times never go back.
          for (const gap of gaps) times.push((times.at(-1) ?? 0) + gap * 0.5)
          const commits = times
            .slice(log.durableIndex)
            .map((at, i) => commitOf(log.durableIndex + 1 + i, { time: formatTime(at) }))
          await log.append(commits)
          if (times.length > 0) t.is(await timeAt(log, times.length), times.at(-1) ?? 0)
          for (const time of asked.map(each => each / 50)) {
            const found = times.findIndex(at => at >= time)
            t.is(await indexAt(log, time), (found < 0 ? times.length : found) + 1)
            const after = times.findIndex(at => at > time)
            t.is(await indexAt(log, justAfter(time)), (after < 0 ? times.length : after) + 1)
          }
        }
      )
    )
    await log.close()
  })

  test('a commit that does not continue the log is rejected, and the next one is accepted', async t => {
    const log = await open()
    await log.append([commitOf(1)])
    await t.throwsAsync(log.append([commitOf(3)]), {
      instanceOf: LogFailure,
      message: /commit 3 .* ends at 1/
    })
    await t.throwsAsync(log.append([commitOf(2), commitOf(2)]), { instanceOf: LogFailure })
    await log.append([commitOf(2)])
    t.deepEqual(await collect(log.read(1)), [commitOf(1), commitOf(2)])
    await log.close()
  })

  test('a commit that is no JSON is rejected, and the next one is accepted', async t => {
    const log = await open()
    const bad = { ...commitOf(1), Events: [{ ...commitOf(1).Events[0]!, Payload: { big: 1n } }] }
    await t.throwsAsync(log.append([bad]), { instanceOf: LogFailure, message: /commit 1 cannot be written/ })
    await log.append([commitOf(1)])
    t.is(log.durableIndex, 1)
    await log.close()
  })

  test('commits of many events let the event loop turn, and keep their order with all others', async t => {
    const log = await open()
    const commits = [1, 2, 3, 4, 5, 6].map(index =>
      commitOf(index, { events: index % 2 === 0 ? 2000 : 1, secrets: { SecretID: `s${index}` }, size: 600 })
    )
    let turns = 0
    let isFlushed = false
    const turn = (): void => {
      turns++
      if (!isFlushed) setImmediate(turn)
    }
    turn()
    await Promise.all(commits.map(commit => log.append([commit])))
    isFlushed = true
    t.true(turns > 10, `${turns} turns`)
    t.deepEqual(await collect(log.read(1)), commits)
    await log.append([commitOf(7)])
    t.deepEqual(await verifyChain(log), { headIndex: 7, headHash: log.headHash })
    await log.close()
  })

  test('a commit of many events that is no JSON fails with all after it, and the log recovers', async t => {
    const log = await open()
    const { Events } = commitOf(2, { events: 1000 })
    const bad = { ...commitOf(2), Events: [...Events, { ...Events[0]!, Payload: { big: 1n } }] }
    const appended = [[commitOf(1)], [bad], [commitOf(3)]].map(commits => log.append(commits))
    const [first, ...others] = await Promise.allSettled(appended)
    t.is(first?.status, 'fulfilled')
    for (const other of others) t.true(other.status === 'rejected' && other.reason instanceof LogFailure)
    t.is(log.durableIndex, 1)
    await log.recover()
    await log.append([commitOf(2)])
    t.is(log.durableIndex, 2)
    await log.close()
  })

  test('a tail yields stored commits, then each commit as it becomes durable, until it is aborted', async t => {
    const log = await open()
    await log.append([commitOf(1), commitOf(2)])
    const stop = new AbortController()
    const seen: number[] = []
    const tailing = (async () => {
      for await (const { Index } of log.tail(2, stop.signal)) {
        seen.push(Index)
        if (Index === 2) void log.append([commitOf(3)]).then(() => log.append([commitOf(4), commitOf(5)]))
        if (Index === 5) stop.abort()
      }
    })()
    await tailing
    t.deepEqual(seen, [2, 3, 4, 5])
    const closing = collect(log.tail(6, new AbortController().signal))
    await log.close()
    t.deepEqual(await closing, [])
  })

  test('history yields the commits about one resource among many thousands', async t => {
    const log = await open()
    const total = 9000
    const commits = Array.from({ length: total }, (_, i) =>
      commitOf(i + 1, { key: (i + 1) % 3000 === 7 ? 'sought' : `other-${i}`, events: (i % 2) + 1 })
    )
    for (let i = 0; i < total; i += 1000) await log.append(commits.slice(i, i + 1000))
    const found = await collect(
      log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'sought' })
    )
    t.deepEqual(
      found.map(c => c.Index),
      [7, 3007, 6007]
    )
    t.deepEqual(
      await collect(log.history({ topic: 'ACLToken', partition: 'other', namespace: '', key: 'sought' })),
      []
    )
    t.deepEqual(
      await collect(log.history({ topic: 'ACLPolicy', partition: 'default', namespace: '', key: 'sought' })),
      []
    )
    t.deepEqual(
      await collect(log.history({ topic: 'ACLToken', partition: 'default', namespace: 'ns', key: 'sought' })),
      []
    )
    await log.close()
  })

  test('a history is read newest first from any index, as far as it is taken', async t => {
    const log = await open()
    const resource = { topic: 'ACLToken', partition: 'default', namespace: '', key: 'sought' }
    t.deepEqual(await collect(log.history(resource, { newestFirst: true })), [])
    const total = 6000
    const commits = Array.from({ length: total }, (_, i) =>
      commitOf(i + 1, { key: (i + 1) % 170 === 7 ? 'sought' : `other-${i}`, events: (i % 2) + 1, size: 400 })
    )
    for (let i = 0; i < total; i += 500) await log.append(commits.slice(i, i + 500))
    const all = await collect(
      log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'sought' })
    )
    t.is(all.length, 36)
    t.deepEqual(await collect(log.history(resource, { newestFirst: true })), all.toReversed())
    await fc.assert(
      fc.asyncProperty(fc.nat(total + 10), fc.nat(12), async (from, count) => {
        const taken: Commit[] = []
        for await (const commit of log.history(resource, { from, newestFirst: true }))
          if (taken.push(commit) > count) break
        const expected = all.filter(({ Index }) => Index <= from).toReversed()
        t.deepEqual(taken, expected.slice(0, count + 1))
        const later = await collect(
          log.history({ topic: 'ACLToken', partition: 'default', namespace: '', key: 'sought' }, { from })
        )
        t.deepEqual(
          later,
          all.filter(({ Index }) => Index >= from)
        )
      }),
      { numRuns: 20 }
    )
    t.deepEqual(await collect(log.history({ ...resource, namespace: 'other' }, { newestFirst: true })), [])
    await log.close()
  })

  test('commits of some megabytes fit, among small ones', async t => {
    const log = await open()
    const commits = [commitOf(1), commitOf(2, { events: 64, size: 512 * 1024 }), commitOf(3)]
    await Promise.all(commits.map(commit => log.append([commit])))
    t.deepEqual(await collect(log.read(1)), commits)
    await log.close()
  })

  test('the chain of an untouched log holds, and its head hash tells the last record', async t => {
    const log = await open()
    await log.append([commitOf(1), commitOf(2, { secrets: { SecretID: 's' } })])
    const before = log.headHash
    await log.append([commitOf(3)])
    t.not(log.headHash, before)
    t.deepEqual(await verifyChain(log), { headIndex: 3, headHash: log.headHash })
    await log.close()
  })

  test('a closed log refuses appends', async t => {
    const log = await open()
    await log.close()
    await t.throwsAsync(log.append([commitOf(1)]), { instanceOf: LogFailure, message: /closed/ })
  })
}
