import { mock } from 'node:test'
import test, { type ExecutionContext } from 'ava'
import { Delivery } from '../../../http/stream/delivery.js'

const STUCK_MS = 40_000
const SLICE = 64 * 1024

/** A delivery whose channel records its calls, with timers that the test advances. */
const noted = (t: ExecutionContext) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const calls: string[] = []
  const delivery = new Delivery(
    {
      write: slice => void calls.push(`write ${slice.length}`),
      end: slice => void calls.push(`end ${slice.toString()}`),
      destroy: () => void calls.push('destroy')
    },
    STUCK_MS,
    {
      onIdle: () => void calls.push('idle'),
      onStuck: () => {
        calls.push('stuck')
        delivery.end(Buffer.from('last'))
      },
      onClosed: () => void calls.push('closed')
    }
  )
  return { delivery, calls }
}

test.serial('a large piece goes out in slices, and the reader is idle when the last one was taken', t => {
  const { delivery, calls } = noted(t)
  delivery.write(Buffer.alloc(2 * SLICE + 1))
  delivery.taken()
  delivery.taken()
  t.true(delivery.isBusy)
  delivery.taken()
  t.false(delivery.isBusy)
  t.deepEqual(calls, [`write ${SLICE}`, `write ${SLICE}`, 'write 1', 'idle'])
})

test.serial('a reader that receives nothing is reported once after the timeout, and then disconnected', t => {
  const { delivery, calls } = noted(t)
  delivery.write(Buffer.alloc(10))
  mock.timers.tick(STUCK_MS - 1)
  t.deepEqual(calls, ['write 10'])
  mock.timers.tick(1)
  t.deepEqual(calls, ['write 10', 'stuck', 'end last'])
  mock.timers.tick(1000)
  t.deepEqual(calls, ['write 10', 'stuck', 'end last', 'destroy'])
})

test.serial('a reader that takes a slice has all the time for the next', t => {
  const { delivery, calls } = noted(t)
  delivery.write(Buffer.alloc(3 * SLICE))
  for (let i = 0; i < 3; i++) {
    mock.timers.tick(STUCK_MS - 1)
    delivery.taken()
  }
  mock.timers.tick(10 * STUCK_MS)
  t.deepEqual(calls, [`write ${SLICE}`, `write ${SLICE}`, `write ${SLICE}`, 'idle'])
})

test.serial('nothing is put into the midst of a message: such a reader is broken off at once', t => {
  const { delivery, calls } = noted(t)
  delivery.write(Buffer.alloc(SLICE + 1))
  mock.timers.tick(STUCK_MS)
  t.deepEqual(calls, [`write ${SLICE}`, 'destroy'])
})

test.serial('a last line comes behind what is still to be sent', t => {
  const { delivery, calls } = noted(t)
  delivery.write(Buffer.alloc(SLICE + 1, 'x'))
  delivery.end(Buffer.from('last'))
  delivery.taken()
  t.deepEqual(calls, [`write ${SLICE}`, 'end xlast'])
  mock.timers.tick(STUCK_MS)
  t.deepEqual(calls.at(-1), 'destroy')
  delivery.close()
  t.deepEqual(calls.at(-1), 'closed')
})
