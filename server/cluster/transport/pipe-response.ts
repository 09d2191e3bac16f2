import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline as join, type Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { endToEndHeaders } from './request-headers.js'
import type { ServerAnswer } from './response-text.js'

/** A connection with the bytes that were already read from it. */
interface End {
  readonly socket: Duplex
  readonly head: Buffer
}

const headOf = ({ statusCode = 0, rawHeaders }: IncomingMessage): string => {
  const lines = [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Forwards the response that opens the WebSocket, and joins the connections. When one end closes, so does the other. */
export const joinSockets = (client: End, server: End & { readonly answer: IncomingMessage }): void => {
  client.socket.write(headOf(server.answer))
  client.socket.write(server.head)
  server.socket.write(client.head)
  join(client.socket, server.socket, () => {})
  join(server.socket, client.socket, () => {})
}

/**
 * Waits for the answer of another server.
 * @param client the response, or the client's connection if a WebSocket is to be opened
 * @param send receives a signal that aborts when the client has disconnected, or when the server shuts down during a read
 */
export const whileConnected = async <T>(
  client: ServerResponse | Duplex,
  isRead: boolean,
  closing: AbortSignal,
  send: (gone: AbortSignal) => Promise<T>
): Promise<T> => {
  const controller = new AbortController()
  const abort = (): void => controller.abort()
  client.once('close', abort)
  if (isRead) closing.addEventListener('abort', abort)
  if (client.destroyed || (isRead && closing.aborted)) abort()
  try {
    return await send(controller.signal)
  } finally {
    client.off('close', abort)
    closing.removeEventListener('abort', abort)
  }
}

/**
 * Writes the answer with status, headers and trailers, no faster than the client reads it. A broken answer is broken off.
 * @param closing aborts on shutdown, which ends the client's connection after the answer
 */
export const pipeResponse = async (
  answer: ServerAnswer,
  response: ServerResponse,
  closing: AbortSignal
): Promise<void> => {
  response.writeHead(answer.statusCode ?? 0, [
    ...endToEndHeaders(answer),
    ...(closing.aborted ? ['Connection', 'close'] : [])
  ])
  // Node.js writes a text together with the headers. As latin1, it has the same bytes.
  if ('body' in answer) return void response.end(answer.body.toString('latin1'), 'latin1')
  // A client that reads a stream needs the headers before the body begins.
  if (answer.headers['content-length'] === undefined) response.flushHeaders()
  answer.once('end', () => {
    const trailers: [string, string][] = []
    for (let i = 0; i + 1 < answer.rawTrailers.length; i += 2)
      trailers.push([answer.rawTrailers[i] ?? '', answer.rawTrailers[i + 1] ?? ''])
    if (trailers.length > 0) response.addTrailers(trailers)
  })
  try {
    await pipeline(answer, response)
  } catch {
    // The other end sees that its connection has closed.
  }
}

/** Destroys an endless stream on shutdown. @param closed called when the stream is closed */
export const closeOnShutdown = (
  closing: AbortSignal,
  stream: IncomingMessage | Duplex,
  closed: () => void = () => {}
): void => {
  const breakOff = (): void => void stream.destroy()
  closing.addEventListener('abort', breakOff)
  // One listener: with those of joined sockets, more would be reported as a leak.
  stream.once('close', () => {
    closing.removeEventListener('abort', breakOff)
    closed()
  })
}
