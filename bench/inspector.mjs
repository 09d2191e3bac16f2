// Inspects the memory of a server that was started with `--inspect=127.0.0.1:0`.
import { once } from 'node:events'
import { WebSocket } from 'ws'

/** Returns the memory in use after a full garbage collection, in bytes: { heapUsed, external, rss, … }. */
export async function liveMemory(server) {
  const address = /ws:\/\/\S+/.exec(server.log())?.[0]
  if (address === undefined) throw new Error('the server has no inspector')
  const socket = new WebSocket(address)
  await once(socket, 'open')
  try {
    await command(socket, 1, 'HeapProfiler.collectGarbage', {})
    await command(socket, 2, 'HeapProfiler.collectGarbage', {})
    const expression = 'JSON.stringify(process.memoryUsage())'
    const { result } = await command(socket, 3, 'Runtime.evaluate', { expression })
    return JSON.parse(result.value)
  } finally {
    socket.close()
  }
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
