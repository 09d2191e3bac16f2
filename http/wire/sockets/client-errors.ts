// Responses to connections that no route can answer: malformed or incomplete requests. The connection is closed afterwards.
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { refusedWith, TEXT_TYPE, type RouteResponse } from '../response.js'
import type { ConnectionQueue } from './connection-queue.js'
import type { Settings } from '../../../server/settings/settings.js'

/** How long an answered connection stays open for further bytes of the client, since a reset could overtake the response. */
const LINGER_MS = 500

/** A connection or parser error; `reason` is the message of Node's parser. */
interface ClientError extends Error {
  readonly code?: string | undefined
  readonly reason?: string | undefined
}

const answerTo = (
  { code, reason = 'this is no HTTP request' }: ClientError,
  { http_header_bytes: headerBytes, request_timeout: timeout }: Settings['limits']
): RouteResponse => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return refusedWith(
      'request.headers-too-large',
      `Request headers are too large: the limit is ${headerBytes} bytes (limits.http_header_bytes)`
    )
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return refusedWith(
      'request.timeout',
      `Request took too long to arrive: the limit is ${timeout} ms (limits.request_timeout)`
    )
  return refusedWith('request.invalid', `Bad request: ${reason}`)
}

/** Responds to an unreadable request once, after the earlier requests of its connection. */
export const refuseUnreadable =
  (limits: Settings['limits'], queue: ConnectionQueue) =>
  (error: ClientError, socket: Duplex): void => {
    // A reset connection cannot receive a response, and an ended one has received one.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      if (!socket.writableEnded) socket.destroy()
      return
    }
    queue.close(socket, {
      answered: () => endConnection(socket),
      unanswered: () => refuseConnection(socket, answerTo(error, limits))
    })
  }

/** Writes a response to a connection and closes it. */
export const refuseConnection = (
  socket: Duplex,
  { status, body, headers }: Pick<RouteResponse, 'status' | 'body' | 'headers'>
): void => {
  const text = body.toString()
  const more = headers.map((part, i) => (i % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('')
  endConnection(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${TEXT_TYPE}\r\n${more}` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`
  )
}

const endConnection = (socket: Duplex, last = ''): void => {
  socket.end(last)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
