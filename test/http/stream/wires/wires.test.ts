// The same messages on every wire, and how a client says which one it wants.
import test from 'ava'
import { read, streamServer } from '../streams.js'

test('a client gets server-sent events when it prefers them to lines', async t => {
  const server = await streamServer(t)
  const cases: readonly (readonly [string, string])[] = [
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream, */*', 'text/event-stream'],
    ['text/event-stream;q=0.9, application/json;q=0.1', 'text/event-stream'],
    ['application/json, text/event-stream;q=0.5', 'application/json'],
    ['text/event-stream;q=0', 'application/json'],
    ['text/html', 'application/json'],
    ['*/*', 'application/json']
  ]
  for (const [Accept, type] of cases) {
    const reader = await read(t, server, 'index=1', { headers: { Accept } })
    t.is(reader.headers['content-type'], type, Accept)
    reader.close()
  }
})
