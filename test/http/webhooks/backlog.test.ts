import test from 'ava'
import fc from 'fast-check'
import { BatchBuffer } from '../../../http/webhooks/webhook-sink.js'

const message = (index: number, size = 1): string =>
  `{"Index":${index},"Events":[{"Topic":"KV","Key":"${'ä'.repeat(size)}"}]}\n`

const WIDE = { bytes: 1_000_000, messages: 1000 }

test('a batch holds the messages byte for byte, the name of the cursor, and how far they go', t => {
  const backlog = new BatchBuffer('a "b"')
  t.is(backlog.take(WIDE), undefined)
  backlog.add(Buffer.from(message(3) + message(5)))
  const batch = backlog.take(WIDE)
  const expected = `{"Messages":[${message(3).trimEnd()},${message(5).trimEnd()}],"Cursor":"a \\"b\\"","LastIndex":5}`
  t.is(batch?.body.toString(), expected)
  t.like(batch, { from: 3, to: 5, messages: 2 })
  t.is(backlog.take(WIDE), undefined)
  t.is(backlog.bytes, 0)
})

test('a batch has at most so many messages and bytes; one that is larger goes alone', t => {
  const backlog = new BatchBuffer('c')
  backlog.add(Buffer.from([1, 2, 3].map(index => message(index)).join('')))
  t.like(backlog.take({ bytes: 1000, messages: 2 }), { from: 1, to: 2 })
  t.like(backlog.take({ bytes: 1000, messages: 2 }), { from: 3, to: 3 })
  backlog.add(Buffer.from(message(4, 1000) + message(5) + message(6)))
  t.like(backlog.take({ bytes: 200, messages: 9 }), { from: 4, to: 4, messages: 1 })
  t.like(backlog.take({ bytes: 200, messages: 9 }), { from: 5, to: 6, messages: 2 })
})

test('lines that are no messages are not sent, and tell how far the stream is', t => {
  const backlog = new BatchBuffer('c')
  backlog.add(Buffer.from('{}\n{"Index":0,"Events":[],"LastIndex":7}\n'))
  t.is(backlog.take(WIDE), undefined)
  t.is(backlog.addedTo, 7)
  backlog.add(Buffer.from(`${message(8)}{"CaughtUp":true,"LastIndex":9}\n`))
  t.like(backlog.take(WIDE), { from: 8, to: 8, messages: 1 })
  t.is(backlog.addedTo, 9)
})

test('pieces may end anywhere', t => {
  const lines = Array.from({ length: 20 }, (_, i) => message(i + 1, i % 4))
  const whole = Buffer.from(lines.join(''))
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: whole.length })), places => {
      const backlog = new BatchBuffer('c')
      const cuts = [0, ...places.toSorted((a, b) => a - b), whole.length]
      for (const [i, to] of cuts.entries()) backlog.add(whole.subarray(cuts[i - 1] ?? 0, to))
      const messages = lines.map(line => line.trimEnd()).join(',')
      t.is(backlog.take(WIDE)?.body.toString(), `{"Messages":[${messages}],"Cursor":"c","LastIndex":20}`)
    })
  )
})
