// The answer of another server, handed on to the client as it is: status, headers, body and trailers.
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline as join, type Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { endToEndHeaders } from './request-headers.js'

/** One end, with what of it was read already. */
interface End {
  readonly socket: Duplex
  readonly head: Buffer
}

const headOf = ({ statusCode = 0, rawHeaders }: IncomingMessage): string => {
  const lines = [`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`]
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Gives the client the answer that opens the WebSocket, and all that follows. When one end closes, so does the other. */
export const joinSockets = (client: End, server: End & { readonly answer: IncomingMessage }): void => {
  client.socket.write(headOf(server.answer))
  client.socket.write(server.head)
  server.socket.write(client.head)
  // Whichever breaks off, `pipeline` closes the other, which is all there is to say.
  join(client.socket, server.socket, () => {})
  join(server.socket, client.socket, () => {})
}

/**
 * Calls when nobody waits for an answer any more: the client has left, or the server ends and it is a read.
 * @param response the answer to the client; or its connection, where a WebSocket is to be opened
 * @param closing aborts when the server begins to end
 * @returns how to stop looking
 */
export const onClientDisconnect = (
  response: ServerResponse | Duplex,
  isRead: boolean,
  closing: AbortSignal,
  gone: () => void
): (() => void) => {
  response.once('close', gone)
  if (isRead) closing.addEventListener('abort', gone)
  if (response.destroyed || (isRead && closing.aborted)) gone()
  return () => {
    response.off('close', gone)
    closing.removeEventListener('abort', gone)
  }
}

/**
 * Writes an answer as its server sends it, no faster than the client takes it. An answer that breaks off, breaks off.
 * @param closing aborts when this server begins to end: the connection of the client ends with the answer then
 */
export const pipeResponse = async (
  answer: IncomingMessage,
  response: ServerResponse,
  closing: AbortSignal
): Promise<void> => {
  response.writeHead(answer.statusCode ?? 0, [
    ...endToEndHeaders(answer),
    ...(closing.aborted ? ['Connection', 'close'] : [])
  ])
  // Who reads as it comes wants the headers before there is a body.
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
    // Either side has gone, and the other one was told by the end of its connection.
  }
}

/** Breaks off what has no end when this server begins to end. */
export const closeOnShutdown = (closing: AbortSignal, stream: IncomingMessage | Duplex): void => {
  const breakOff = (): void => void stream.destroy()
  closing.addEventListener('abort', breakOff)
  stream.once('close', () => closing.removeEventListener('abort', breakOff))
}
