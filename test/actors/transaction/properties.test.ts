// What holds of transactions that are sent all at once: the log gives an order in which each did what the
// specification says, and those that were rolled back did nothing.
import test, { type ExecutionContext } from 'ava'
import * as fc from 'fast-check'
import type { Commit } from '../../../events/envelope.js'
import { isKvEvent } from '../../../events/kv.js'
import { MemoryEventLog } from '../../../events/log/memory.js'
import type { TestResponse } from '../../support/client.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { openStream } from '../../support/stream.js'
import { play, type ModelResult, type ModelOperation, type ModelState } from './kv-model.js'
import { runs } from '../../support/property-runs.js'

interface Sent {
  readonly operations: readonly ModelOperation[]
  readonly answer: TestResponse
  /** Index of its commit; 0 when it wrote nothing. */
  readonly index: number
}

const VERBS = [
  'set',
  'cas',
  'lock',
  'unlock',
  'get',
  'get-tree',
  'check-index',
  'check-session',
  'check-not-exists',
  'delete',
  'delete-cas',
  'delete-tree'
] as const

/** Keys, sessions and indexes by number, so that they meet; made real for each run. */
const operation = fc.record({
  verb: fc.constantFrom(...VERBS, 'set', 'set', 'lock', 'cas'),
  key: fc.nat(3),
  value: fc.nat(2),
  flags: fc.nat(1),
  index: fc.nat(8),
  session: fc.nat(1)
})
type Drawn = typeof operation extends fc.Arbitrary<infer T> ? T : never
const histories = fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), {
  minLength: 2,
  maxLength: 24
})

const VALUES = [undefined, 'YQ==', 'Yg==']

const real = (drawn: Drawn, prefix: string, first: number, sessions: readonly string[]): ModelOperation => ({
  Verb: drawn.verb,
  Key: `${prefix}${drawn.key === 0 && drawn.verb.endsWith('tree') ? '' : `k/${drawn.key}`}`,
  ...(drawn.value === 0 ? {} : { Value: VALUES[drawn.value] ?? '' }),
  Flags: drawn.flags,
  Index: drawn.index === 0 ? 0 : first + drawn.index,
  Session: sessions[drawn.session] ?? ''
})

const createSession = async (server: TestServer, body: object = { LockDelay: '0s' }): Promise<string> => {
  const { text } = await server.send('PUT', '/v1/session/create', { body })
  return JSON.parse(text).ID
}

const transact = async (server: TestServer, operations: readonly ModelOperation[]): Promise<Sent> => {
  const answer = await server.send('PUT', '/v1/txn', { body: operations.map(KV => ({ KV })) })
  return { operations, answer, index: Number(answer.headers['x-service-index'] ?? 0) }
}

/** The answer in the model's form. */
const shown = ({ answer }: Sent): Pick<ModelResult, 'results' | 'errors'> => {
  const { Results, Errors } = JSON.parse(answer.text)
  const errors: readonly { OpIndex: number; Code: string }[] | null = Errors
  return { results: Results, errors: errors?.map(({ OpIndex, Code }) => [OpIndex, Code] as const) ?? null }
}

const equals = (t: ExecutionContext, model: ModelResult, sent: Sent): boolean => {
  const { results, errors } = model
  return t.is(sent.answer.status, errors ? 409 : 200) && t.deepEqual({ results, errors }, shown(sent))
}

const commitsFrom = async (log: MemoryEventLog, from: number): Promise<Commit[]> => {
  const commits: Commit[] = []
  for await (const commit of log.read(from)) commits.push(commit)
  return commits
}

test('a history of concurrent transactions is the serial one of the log', async t => {
  const log = new MemoryEventLog()
  const server = await serverInProcess(t, { log })
  const sessions = [await createSession(server), await createSession(server)]
  let run = 0
  await fc.assert(
    fc.asyncProperty(histories, async drawn => {
      const prefix = `run${run++}/`
      const first = server.app.views.index
      const sent = await Promise.all(
        drawn.map(operations =>
          transact(
            server,
            operations.map(one => real(one, prefix, first, sessions))
          )
        )
      )
      const states: ModelState[] = [new Map()]
      const writes = sent.filter(({ index }) => index > 0).toSorted((a, b) => a.index - b.index)
      for (const one of writes) {
        const model = play(states.at(-1) ?? new Map(), one.operations, one.index, sessions)
        equals(t, model, one)
        states.push(model.state)
      }
      t.deepEqual(
        (await commitsFrom(log, first + 1)).map(({ Index }) => Index),
        writes.map(({ index }) => index),
        'every commit is one transaction’s'
      )
      // What wrote nothing was answered from one of the states between.
      for (const one of sent.filter(({ index }) => index === 0)) {
        const answers = states.map((state, at) => {
          const { results, errors } = play(state, one.operations, first + at + 1, sessions)
          return JSON.stringify({ results, errors })
        })
        const { results, errors } = shown(one)
        t.true(answers.includes(JSON.stringify({ results, errors })), one.answer.text)
      }
    }),
    { numRuns: runs(60) }
  )
})

test('of many writers who saw the same index one succeeds', async t => {
  const server = await serverInProcess(t, { log: new MemoryEventLog() })
  await server.send('PUT', '/v1/kv/counter', { body: '0' })
  for (let round = 0; round < 20; round++) {
    const { text } = await server.send('GET', '/v1/kv/counter')
    const Index: number = JSON.parse(text)[0].ModifyIndex
    const answers = await Promise.all(
      Array.from({ length: 16 }, async (_, i) => {
        if (i % 2 === 0)
          return (
            (await server.send('PUT', `/v1/kv/counter?cas=${Index}`, { body: `${round}.${i}` })).text ===
            'true'
          )
        const Value = Buffer.from(`${round}.${i}`).toString('base64')
        return (await transact(server, [{ Verb: 'cas', Key: 'counter', Value, Index }])).answer.status === 200
      })
    )
    t.is(answers.filter(Boolean).length, 1)
  }
})

test('no lock is ever held by two sessions, whatever ends and tries meanwhile', async t => {
  const log = new MemoryEventLog()
  const server = await serverInProcess(t, { log })
  const worker = async (name: number): Promise<void> => {
    for (let round = 0; round < 8; round++) {
      const session = await createSession(server, {
        LockDelay: '0s',
        Behavior: name % 2 ? 'delete' : 'release'
      })
      const key = `/v1/kv/lock/${round % 2}`
      await server.send('PUT', `${key}?acquire=${session}`, { body: session })
      if (round % 3 === 0) await server.send('PUT', `${key}?release=${session}`, { body: '' })
      if (round % 3 === 1) await server.send('PUT', key, { body: 'written by somebody else' })
      await server.send('PUT', `/v1/session/destroy/${session}`)
    }
  }
  await Promise.all(Array.from({ length: 12 }, (_, name) => worker(name)))
  const holders = new Map<string, string>()
  let locks = 0
  for (const { Events } of await commitsFrom(log, 1))
    for (const event of Events) {
      if (!isKvEvent(event)) continue
      const { Session } = event.Payload.KV
      const holder = holders.get(event.Key)
      if (event.Type === 'KVDelete' || Session === undefined) holders.delete(event.Key)
      else {
        t.true(holder === undefined || holder === Session)
        holders.set(event.Key, Session)
        locks++
      }
    }
  t.true(locks > 0)
  t.is(holders.size, 0)
})

test('a transaction that is rolled back leaves no trace in log, state or stream', async t => {
  const log = new MemoryEventLog()
  const server = await serverInProcess(t, { log })
  const session = await createSession(server)
  await transact(server, [
    { Verb: 'set', Key: 'a', Value: 'YQ==' },
    { Verb: 'lock', Key: 'b', Session: session }
  ])
  const stream = await openStream(server.base, `index=${server.app.views.index}`, { token: ROOT })
  t.teardown(() => stream.close())
  await stream.upTo(server.app.views.index)
  const state = () => JSON.stringify([...server.app.views.dump()])
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 5 }), async drawn => {
      const before = state()
      const { durableIndex } = log
      const operations = drawn.map(one => real(one, 'rolled/', 0, [session]))
      const { answer } = await transact(server, [...operations, { Verb: 'check-not-exists', Key: 'a' }])
      t.is(answer.status, 409)
      t.is(JSON.parse(answer.text).Results, null)
      t.is(state(), before)
      t.is(log.durableIndex, durableIndex)
      // What is written next is what the stream sends next: nothing of the transaction came before it.
      const next = await transact(server, [{ Verb: 'set', Key: 'next', Flags: run++, Value: 'YQ==' }])
      const messages = await stream.upTo(next.index)
      t.deepEqual(
        messages.map(({ Index, Events = [] }) => [Index, Events.map(({ Key }) => Key)]),
        [[durableIndex + 1, ['next']]]
      )
    }),
    { numRuns: runs(60) }
  )
  t.false(stream.bytes.includes('rolled/'))
})
