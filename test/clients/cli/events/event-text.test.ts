import test from 'ava'
import type { StreamedEvent } from '../../../../clients/typescript/stream-line.js'
import { styleText } from 'node:util'
import { messageText } from '../../../../clients/cli/events/tail.js'
import type { Paint } from '../../../../clients/cli/remote/output.js'

const plain: Paint = (_, text) => text
const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false })

const event = (changes: Partial<StreamedEvent> = {}): StreamedEvent => ({
  Topic: 'KV',
  Type: 'KVSet',
  Key: 'web/port',
  Namespace: 'default',
  FilterKeys: null,
  Index: 42,
  Payload: { KV: { Value: Buffer.from('8080').toString('base64') } },
  ...changes
})

test('a message is a line for each event', t => {
  const deleted = event({
    Type: 'KVDelete',
    Key: 'web/\u001b[2J',
    Partition: 'east',
    Payload: { KV: { Value: null } }
  })
  t.is(
    messageText({ Index: 42, Events: [event(), deleted] }, plain),
    '42  KVSet  default/web/port  "8080"\n42  KVDelete  east/default/web/\\u001b[2J'
  )
})

test('a long value is cut, and one that is no text stays as it is', t => {
  const withValue = (value: Buffer): string =>
    messageText(
      { Index: 1, Events: [event({ Payload: { KV: { Value: value.toString('base64') } } })] },
      plain
    )
  t.is(withValue(Buffer.alloc(200, 'a')), `42  KVSet  default/web/port  "${'a'.repeat(80)}…"`)
  t.is(withValue(Buffer.from([0xff, 0xfe])), '42  KVSet  default/web/port  "//4="')
})

test('on a terminal the creation and the deletion of a resource have different colours', t => {
  const shown = messageText({ Index: 42, Events: [event(), event({ Type: 'KVDelete' })] }, coloured)
  t.true(shown.includes('\u001b[32mKVSet\u001b[39m'))
  t.true(shown.includes('\u001b[31mKVDelete\u001b[39m'))
})

test('the marks of a snapshot are printed', t => {
  t.is(messageText({ Index: 42, Events: [], Snapshot: 'end' }, plain), '42  the current state is complete')
  t.is(
    messageText({ Index: 0, Events: [], Snapshot: 'restart' }, plain),
    'the stream restarts with the current state'
  )
})
