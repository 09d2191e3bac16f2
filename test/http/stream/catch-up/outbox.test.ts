// The memory of pieces.
import test from 'ava'
import { Outbox } from '../../../../http/stream/catch-up/outbox.js'

test('messages stand in the memory of the piece, whether they were written there or are copied', t => {
  const spent = new ArrayBuffer(16)
  const out = new Outbox(16, spent)
  const room = out.room(5)
  room.write('there')
  t.true(out.add(room))
  t.true(out.add(Buffer.from(' and copied')))
  t.is(out.room(1).buffer === spent, false, 'it is full')
  t.false(out.add(Buffer.from('!')))
  const piece = out.take()
  t.is(piece?.toString(), 'there and copied')
  t.is(piece?.buffer, spent)
})

test('room that was not used is given again, and what was framed is copied over it', t => {
  const out = new Outbox(16)
  out.room(4).write('left')
  t.true(out.isEmpty)
  const line = out.room(4)
  line.write('line')
  t.true(out.add(Buffer.concat([Buffer.from('id '), line])))
  t.is(out.take()?.toString(), 'id line')
  t.true(out.isEmpty)
})

test('one message may be larger than a piece', t => {
  const out = new Outbox(4)
  const large = out.room(6)
  large.write('larger')
  t.true(out.add(large))
  t.false(out.add(Buffer.from('!')))
  t.is(out.take()?.toString(), 'larger')
})
