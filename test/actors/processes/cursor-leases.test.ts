import test from 'ava'
import type { CursorReader } from '../../../actors/processes/cursor-leases.js'
import { SECOND } from '../../../events/duration.js'
import { systemWithCursors } from './cursors.js'

/** A reader that records its calls. */
class Reader implements CursorReader {
  readonly calls: string[] = []
  takes = true

  isProcessing(): boolean {
    return this.takes
  }

  onHeld(index: number): void {
    this.calls.push(`held at ${index}`)
  }

  onLost(loss: string): void {
    this.calls.push(loss)
  }
}

test('the first reader has the cursor; the next waits, and begins where the first has left off', async t => {
  const { leases, claim, positions, put, fill, advance } = systemWithCursors(t)
  await put('a')
  await fill(5)
  const [first, second, third] = [new Reader(), new Reader(), new Reader()]
  const held = claim('a', first)
  const waiting = claim('a', second)
  const last = claim('a', third)
  t.deepEqual([held?.isHeld, waiting?.isHeld, last?.isHeld], [true, false, false])
  const moved = positions.advance('a', 4)
  await advance(1000)
  await moved
  waiting?.release()
  held?.release()
  t.true(last?.isHeld)
  t.deepEqual([first.calls, second.calls, third.calls], [['held at 1'], [], ['held at 4']])
  held?.release()
  t.true(last?.isHeld)
  last?.release()
  t.false(leases.isHeld('a'))
})

test('a reader that takes nothing for as long as its lease loses the cursor to one that waits', async t => {
  const { claim, put, advance } = systemWithCursors(t)
  await put('a', { Lease: 10 * SECOND })
  const [stuck, waiting] = [new Reader(), new Reader()]
  claim('a', stuck)
  claim('a', waiting)
  await advance(10_000)
  t.deepEqual(waiting.calls, [])
  stuck.takes = false
  await advance(9_000)
  t.deepEqual(waiting.calls, [])
  await advance(1_000)
  t.deepEqual([stuck.calls, waiting.calls], [['held at 1', 'taken over'], ['held at 1']])
})

test('a stuck reader keeps the cursor until another reader claims it', async t => {
  const { claim, put, advance } = systemWithCursors(t)
  await put('a', { Lease: 10 * SECOND })
  const [stuck, waiting] = [new Reader(), new Reader()]
  stuck.takes = false
  const held = claim('a', stuck)
  await advance(60_000)
  t.true(held?.isHeld)
  claim('a', waiting)
  t.deepEqual([stuck.calls, waiting.calls], [['held at 1', 'taken over'], ['held at 1']])
})

test('each move of a cursor renews its lease', async t => {
  const { claim, positions, put, fill, advance } = systemWithCursors(t)
  await put('a', { Lease: 10 * SECOND })
  await fill(3)
  const [slow, waiting] = [new Reader(), new Reader()]
  slow.takes = false
  claim('a', slow)
  claim('a', waiting)
  await advance(8_000)
  const moved = positions.advance('a', 3)
  await advance(1_000)
  await moved
  await advance(9_000)
  t.deepEqual(waiting.calls, [])
  await advance(1_000)
  t.deepEqual(waiting.calls, ['held at 3'])
})

test('a deadline of readers who are gone tells nothing of those who came after them', async t => {
  const { claim, put, advance } = systemWithCursors(t)
  await put('a', { Lease: 10 * SECOND })
  claim('a', new Reader())?.release()
  await advance(6_000)
  const [stuck, waiting] = [new Reader(), new Reader()]
  stuck.takes = false
  claim('a', stuck)
  claim('a', waiting)
  await advance(6_000)
  t.deepEqual(waiting.calls, [])
  await advance(4_000)
  t.deepEqual(waiting.calls, ['held at 1'])
})

test('readers are notified when their cursor goes, or is of other events', async t => {
  const { claim, put, remove } = systemWithCursors(t)
  await put('a')
  await put('b')
  const [first, second, other] = [new Reader(), new Reader(), new Reader()]
  claim('a', first)
  claim('a', second)
  claim('b', other)
  await put('b', { Lease: SECOND })
  t.deepEqual(other.calls, ['held at 2'])
  await put('b', { Topics: ['Node'] })
  await remove('a')
  t.deepEqual([first.calls, second.calls], [['held at 1', 'deleted'], ['deleted']])
  t.deepEqual(other.calls, ['held at 2', 'redefined'])
  t.is(claim('a', first), undefined)
})

test('a reader whose cursor is of other events than it was found with is notified', async t => {
  const { leases, claim, views, put } = systemWithCursors(t)
  await put('a')
  const found = views.cursors.get('a')
  await put('a', { Topics: ['Node'] })
  const [late, next] = [new Reader(), new Reader()]
  if (found) leases.claim(found, late)
  t.deepEqual(late.calls, ['redefined'])
  t.true(claim('a', next)?.isHeld)
})
