// A connection to the stream over any wire, as a sequence of lines.
import { request } from 'node:http'
import { WebSocket } from 'ws'
import type { Wire } from './plan.js'

interface ConnectionListener {
  onLine(line: string): void
  /** The last message. @param status of the answer; undefined when there was none */
  onEnd(status: number | undefined): void
}

export interface Connection {
  breakOff(): void
}

interface Target {
  readonly base: string
  readonly query: string
  readonly token: string
}

const DATA = 'data: '

const overHttp = ({ base, query, token }: Target, wire: Wire, listener: ConnectionListener): Connection => {
  const headers = {
    'X-Service-Token': token,
    ...(wire === 'sse' ? { Accept: 'text/event-stream' } : {})
  }
  let status: number | undefined
  let rest = ''
  const client = request(`${base}/v1/event/stream?${query}`, { agent: false, headers }, response => {
    status = response.statusCode
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      if (status !== 200) return
      for (const line of lines)
        if (wire === 'lines') listener.onLine(line)
        else if (line.startsWith(DATA)) listener.onLine(line.slice(DATA.length))
    })
    response.on('error', () => {})
  })
  client.on('error', () => {})
  client.once('close', () => listener.onEnd(status))
  client.end()
  return { breakOff: () => void client.destroy() }
}

const overWebSocket = ({ base, query, token }: Target, listener: ConnectionListener): Connection => {
  const url = `${base.replace('http', 'ws')}/v1/event/stream?${query}`
  const socket = new WebSocket(url, { headers: { 'X-Service-Token': token } })
  let status: number | undefined
  socket.on('unexpected-response', (_, response) => {
    status = response.statusCode
    socket.terminate()
  })
  socket.on('open', () => (status = 200))
  socket.on('message', (data: Buffer) => listener.onLine(data.toString()))
  socket.on('error', () => {})
  socket.once('close', () => listener.onEnd(status))
  return { breakOff: () => socket.terminate() }
}

export const connect = (target: Target, wire: Wire, listener: ConnectionListener): Connection =>
  wire === 'websocket' ? overWebSocket(target, listener) : overHttp(target, wire, listener)
