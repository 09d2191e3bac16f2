// The backlog of the primary for a slow reader or disk is bounded, and changes are sent only when durable.
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { Committer } from '../../../../actors/committer.js'
import { Timers } from '../../../../actors/clock.js'
import { ReplicationFeed } from '../../../../server/cluster/replication/replication-feed.js'
import {
  parseFeedMessage,
  type FeedMessage
} from '../../../../server/cluster/replication/replication-messages.js'
import { Views } from '../../../../projections/read-models.js'
import { policyFixture, tokenFixture, id } from '../../../actors/acl-resources.js'
import { gatedLog, type GatedLog } from '../../../support/gated-log.js'
import { COMMAND_TIME, settingsOfTests } from '../../../support/decision-spec.js'
import { serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

const MEGABYTE = 1024 * 1024
const Time = new Date(COMMAND_TIME).toISOString()
const By = { AccessorID: '', Address: '', RequestID: '', Command: 'Test' }

interface TestFeed {
  readonly gate: GatedLog
  /** Makes a policy that has so many characters. */
  readonly make: (characters: number) => void
  /** Creates a local token, which is not replicated. */
  readonly makeLocal: () => void
  readonly advance: (ms: number) => void
  /** Reads on to the next message that has this text in it. */
  readonly next: (text: string) => Promise<FeedMessage>
  /** Whether the feed has broken the connection off. */
  readonly isBroken: () => boolean
  /** The reader takes nothing any more. */
  readonly stopReading: () => void
  /** Tells the feed that the server ends. */
  readonly close: () => void
  /** Whether the reader is to take something before more is written. */
  readonly isWaiting: () => boolean
}

/** Returns a feed that has sent a complete transfer. */
const feed = async (t: ExecutionContext): Promise<TestFeed> => {
  const server = await serverInProcess(t)
  const gate = gatedLog()
  const views = new Views(settingsOfTests)
  const committer = new Committer(gate.log, views)
  t.teardown(() => {
    gate.release()
    committer.stop()
  })
  const closing = new AbortController()
  const parts = { views, committer, log: gate.log, timers: server.scope.resolve(Timers) }
  const options = { from: undefined, withTokens: true, shouldContinue: () => true, seal: String }
  let [isBroken, isWaiting] = [(): boolean => false, (): boolean => false]
  const primary = createServer((_, response) => {
    isBroken = () => response.destroyed
    isWaiting = () => response.writableNeedDrain
    void new ReplicationFeed(parts, { ...options, closing: closing.signal }, response).run()
  })
  primary.listen(0, '127.0.0.1')
  await once(primary, 'listening')
  const address = primary.address()
  if (address === null || typeof address === 'string') throw new Error('it has no port')
  const request = get({ port: address.port, host: '127.0.0.1' })
  t.teardown(() => {
    request.destroy()
    primary.close()
  })
  const [answer]: IncomingMessage[] = await once(request, 'response')
  if (!answer) throw new Error('there was no answer')
  // It breaks off.
  answer.on('error', () => {})
  const lines = createInterface({ input: answer })[Symbol.asyncIterator]()
  const next = async (text: string): Promise<FeedMessage> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('the feed has ended')
      if (value.includes(text)) return parseFeedMessage(value)
    }
  }
  await next('"Whole"')
  const make = (characters: number): void => {
    const Index = views.index + 1
    const event = policyFixture(id(Index), `p${Index}`, { Description: 'x'.repeat(characters) })
    committer.commit({ Index, Time, By, Events: [event] })
  }
  const makeLocal = (): void => {
    const Index = views.index + 1
    committer.commit({ Index, Time, By, Events: [tokenFixture(id(Index), id(Index), { Local: true })] })
  }
  return {
    gate,
    make,
    makeLocal,
    next,
    advance: ms => server.advance(ms),
    isBroken: () => isBroken(),
    stopReading: () => void answer.pause(),
    close: () => closing.abort(),
    isWaiting: () => isWaiting()
  }
}

test('a reader for whom too many characters wait is to come again', async t => {
  const { gate, make, isBroken } = await feed(t)
  gate.hold()
  for (let made = 0; made < 30; made++) make(MEGABYTE)
  t.false(isBroken())
  for (let made = 0; made < 4; made++) make(MEGABYTE)
  t.true(isBroken())
})

test('sent changes leave the backlog', async t => {
  const { make, next, isBroken } = await feed(t)
  for (let made = 0; made < 40; made++) {
    make(MEGABYTE)
    await next('ACLPolicyUpserted')
  }
  t.false(isBroken())
})

test('the position of the log is sent only as far as it is durable', async t => {
  const { gate, make, makeLocal, next, advance } = await feed(t)
  make(1)
  t.like(await next('ACLPolicyUpserted'), { Index: 1 })
  gate.hold()
  makeLocal()
  make(1)
  advance(1000)
  t.like(await next('"Commits"'), { Index: 1 })
  gate.release()
  t.like(await next('ACLPolicyUpserted'), { Index: 3 })
})

test('a reader that takes nothing does not keep the server from ending', async t => {
  const { make, stopReading, close, isWaiting, isBroken, advance } = await feed(t)
  stopReading()
  make(24 * MEGABYTE)
  await until('more is written than the system takes', isWaiting)
  close()
  t.false(isBroken())
  advance(2000)
  await until('the connection is broken off', isBroken)
  t.pass()
})
