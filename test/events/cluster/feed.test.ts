// What the writer of a log tells its readers on the same machine.
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { tmpdir } from 'node:os'
import test, { type ExecutionContext } from 'ava'
import { WorkerFeed } from '../../../events/log/cluster/worker-feed.js'
import { SharedCounter } from '../../../events/log/cluster/shared-counter.js'
import { framesOf, messageFrame, type Frame } from '../../../events/log/cluster/socket-frames.js'
import { until } from '../../support/wait.js'

const made = (t: ExecutionContext, most?: number) => {
  const position = SharedCounter.make(tmpdir())
  const feed = new WorkerFeed<string>(position, most)
  feed.use({ durableIndex: 7, newestSegment: 'newest' })
  t.teardown(() => feed.close())
  return { feed, position }
}

/** Takes the frames of a stream as they come. */
const taken = (stream: PassThrough): readonly Frame<string>[] => {
  const frames: Frame<string>[] = []
  void (async () => {
    for await (const frame of framesOf<string>(stream)) frames.push(frame)
  })()
  return frames
}

test('a shared counter returns the last written value to every holder of its file', t => {
  const number = SharedCounter.make(tmpdir())
  t.teardown(() => number.close())
  const other = new SharedCounter(number.file)
  t.is(other.value, 0)
  for (const value of [1, 255, 256, 2 ** 40 + 1]) {
    number.value = value
    t.is(other.value, value)
  }
})

test('frames come out as they went in, in whatever pieces they arrive', async t => {
  const messages = ['', 'a', 'b'.repeat(100_000), 'c']
  const bytes = Buffer.concat(messages.map((message, i) => messageFrame(i, message)))
  for (const size of [7, 31, 4096, bytes.length]) {
    const stream = new PassThrough()
    const frames = taken(stream)
    for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size))
    await until('all have come', () => frames.length === messages.length)
    t.deepEqual(
      frames.map(frame => (frame.kind === 'message' ? frame.message : frame.kind)),
      messages
    )
  }
})

test('a later reader starts with the retained messages', async t => {
  const { feed, position } = made(t)
  feed.sendRetained('colour', 'red')
  feed.sendRetained('size', 'large')
  feed.sendRetained('colour', 'blue')
  feed.withdraw('size', 'none')
  feed.send('once')
  const stream = new PassThrough()
  const frames = taken(stream)
  feed.attach(stream)
  feed.send('now')
  await until('both have come', () => frames.length === 2)
  const [first, second] = frames
  t.deepEqual(first, {
    kind: 'begin',
    position: 5,
    beginning: { durable: 7, newest: 'newest', retained: ['blue'] }
  })
  t.like(second, { kind: 'message', position: 6, message: 'now' })
  t.is(position.value, 6)
})

test('a subject is dropped alone, and all that is of somebody at once', async t => {
  const { feed } = made(t)
  feed.sendRetained('streams 10.0.0.1', 'one', 'a')
  feed.sendRetained('streams 10.0.0.10', 'two', 'a')
  feed.sendRetained('streams 10.0.0.1', 'of another one', 'b')
  feed.withdraw('streams 10.0.0.1', 'none', 'a')
  feed.sendRetained('streams 10.0.0.1', 'of a third one', 'c')
  feed.withdrawAll('c', 'gone')
  const stream = new PassThrough()
  const frames = taken(stream)
  feed.attach(stream)
  const first = await until('it has begun', () => frames[0])
  t.deepEqual(first.kind === 'begin' ? first.beginning.retained : undefined, ['two', 'of another one'])
})

test('a slow reader skips frames and restarts when it reads again', async t => {
  const { feed, position } = made(t, 1000)
  const stream = new PassThrough({ highWaterMark: 1 })
  feed.attach(stream)
  for (let i = 0; i < 100; i++) feed.send('x'.repeat(100))
  t.true(stream.writableLength < 2000)
  const frames = taken(stream)
  await until('the last frame arrives', () => frames.at(-1)?.position === position.value)
  t.is(frames.at(-1)?.kind, 'begin')
  t.true(frames.length < 30)
  feed.send('again')
  await until('a message arrives again', () => frames.at(-1)?.kind === 'message')
  await setImmediate()
  t.is(frames.at(-1)?.position, position.value)
})
