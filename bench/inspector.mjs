// Inspects the memory of a server that was started with `--inspect=127.0.0.1:0`.
import { once } from 'node:events'
import { WebSocket } from 'ws'

/** Returns the memory in use after a full garbage collection, in bytes: { heapUsed, external, rss, … }. */
export const liveMemory = server =>
  inspected(server, async socket => {
    await command(socket, 1, 'HeapProfiler.collectGarbage', {})
    await command(socket, 2, 'HeapProfiler.collectGarbage', {})
    return await evaluate(socket, 3, 'process.memoryUsage()')
  })

/** Returns the value of an expression in the server's main thread, which JSON can represent. */
export const valueIn = (server, expression) => inspected(server, socket => evaluate(socket, 1, expression))

async function inspected(server, use) {
  const address = /ws:\/\/\S+/.exec(server.log())?.[0]
  if (address === undefined) throw new Error('the server has no inspector')
  const socket = new WebSocket(address)
  await once(socket, 'open')
  try {
    return await use(socket)
  } finally {
    socket.close()
  }
}

async function evaluate(socket, id, expression) {
  const { result } = await command(socket, id, 'Runtime.evaluate', {
    expression: `JSON.stringify(${expression})`
  })
  return result.value === undefined ? undefined : JSON.parse(result.value)
}

async function command(socket, id, method, params) {
  socket.send(JSON.stringify({ id, method, params }))
  for (;;) {
    const [data] = await once(socket, 'message')
    const message = JSON.parse(String(data))
    if (message.id !== id) continue
    if (message.error !== undefined) throw new Error(message.error.message)
    return message.result
  }
}
