import test from 'ava'
import fc from 'fast-check'
import { encodeFrame, FrameReader, type Frame } from '../../../../http/wire/batches/frames.js'

const frame = fc.record({
  id: fc.nat(),
  head: fc.string({ unit: 'grapheme' }),
  body: fc.uint8Array().map(bytes => Buffer.from(bytes))
})

test('frames are found whichever way a stream cuts them', t => {
  fc.assert(
    fc.property(
      fc.array(frame),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      (sent, cuts) => {
        const bytes = Buffer.concat(sent.map(encodeFrame))
        const reader = new FrameReader()
        const found: Frame[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const end = at + (cuts[turn % cuts.length] ?? 1)
          found.push(...reader.read(bytes.subarray(at, end)))
          at = end
        }
        t.deepEqual(found, sent)
      }
    )
  )
})

test('bytes that are no frame are rejected', t => {
  t.throws(() => new FrameReader().read(Buffer.alloc(12)), { instanceOf: RangeError })
  const damaged = encodeFrame({ id: 1, head: 'abc', body: Buffer.from('x') })
  damaged.writeUInt32BE(1000, 8)
  t.throws(() => new FrameReader().read(damaged), { instanceOf: RangeError })
})
