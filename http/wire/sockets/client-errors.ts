// What no route can answer: what is no HTTP request, has headers without end or does not arrive. The answer goes to the
// bare connection, which is closed behind it.
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { TEXT_TYPE } from '../response.js'
import type { ConnectionQueue } from './connection-queue.js'
import type { Settings } from '../../../server/settings/settings.js'

/** How long an answered connection stays open for what the client still sends: a reset could outrun the answer. */
const LINGER_MS = 500

/** An error of the connection, or of what was to be read from it: what Node's parser has to say of it is in `reason`. */
interface ClientError extends Error {
  readonly code?: string | undefined
  readonly reason?: string | undefined
}

const answerTo = (
  { code, reason = 'this is no HTTP request' }: ClientError,
  { http_header_bytes: headerBytes, request_timeout: timeout }: Settings['limits']
): readonly [number, string] => {
  if (code === 'HPE_HEADER_OVERFLOW')
    return [
      431,
      `Request headers are too large: the limit is ${headerBytes} bytes (limits.http_header_bytes)`
    ]
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, `Request took too long to arrive: the limit is ${timeout} ms (limits.request_timeout)`]
  return [400, `Bad request: ${reason}`]
}

/** Answers, with a text that names the rule, what a server could not read as a request, in its turn and once. */
export const refuseUnreadable =
  (limits: Settings['limits'], turns: ConnectionQueue) =>
  (error: ClientError, socket: Duplex): void => {
    // What was reset hears nothing any more; what ends already was answered, and sent more.
    if (error.code === 'ECONNRESET' || !socket.writable) {
      if (!socket.writableEnded) socket.destroy()
      return
    }
    const [status, text] = answerTo(error, limits)
    turns.close(socket, {
      answered: () => endConnection(socket),
      unanswered: () => refuseConnection(socket, status, text)
    })
  }

/** Answers on the bare connection, and closes it. @param headers further ones, names and values in turn */
export const refuseConnection = (
  socket: Duplex,
  status: number,
  text: string,
  headers: readonly string[] = []
): void => {
  const more = headers.map((part, i) => (i % 2 === 0 ? `${part}: ` : `${part}\r\n`)).join('')
  endConnection(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${more}Content-Type: ${TEXT_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`
  )
}

const endConnection = (socket: Duplex, last = ''): void => {
  socket.end(last)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
