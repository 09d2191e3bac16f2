import test from 'ava'
import { BatchBuffer, WebhookSink } from '../../../http/webhooks/webhook-sink.js'

const message = (index: number): Buffer => Buffer.from(`{"Index":${index},"Events":[{"Topic":"KV"}]}\n`)
const nextTurn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const setUp = () => {
  const backlog = new BatchBuffer('c')
  const calls: string[] = []
  const limits = { bytes: 1000, messages: 3 }
  const sink = new WebhookSink(
    backlog,
    {
      limits: () => limits,
      onWritten: () => calls.push('written'),
      onEnded: (code, text) => calls.push(`${code} ${text}`)
    },
    { onIdle: () => calls.push('idle'), onStuck: () => 0, onClosed: () => calls.push('closed') }
  )
  return { backlog, sink, calls, limits }
}

test('a stream continues while less than a batch waits, and only asynchronously', async t => {
  const { backlog, sink, calls, limits } = setUp()
  sink.write(message(1))
  t.deepEqual(calls, ['written'])
  await nextTurn()
  t.deepEqual(calls, ['written', 'idle'])
  sink.write(Buffer.concat([message(2), message(3)]))
  t.true(sink.isBusy)
  await nextTurn()
  t.is(calls.filter(one => one === 'idle').length, 1)
  backlog.take(limits)
  sink.resume()
  sink.resume()
  await nextTurn()
  t.is(calls.filter(one => one === 'idle').length, 2)
})

test('bytes count as well as messages', t => {
  const { sink } = setUp()
  sink.write(Buffer.from(`{"Index":1,"Events":["${'x'.repeat(1000)}"]}\n`))
  t.true(sink.isBusy)
})

test('the last line says why the stream has ended', async t => {
  const { sink, calls } = setUp()
  sink.resume()
  sink.end(Buffer.from('{"Error":{"Code":403,"Message":"rights"},"LastIndex":3}\n'))
  await nextTurn()
  sink.destroy()
  t.deepEqual(calls, ['403 rights'])
})

test('a stream that is closed from this side reports nothing further', async t => {
  const { sink, calls } = setUp()
  sink.write(message(1))
  sink.destroy()
  sink.end(Buffer.from('{"Error":{"Code":503,"Message":"end"},"LastIndex":3}\n'))
  await nextTurn()
  t.deepEqual(calls, ['written', 'closed'])
})
