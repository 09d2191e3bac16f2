import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { REQUEST_ID, requestIdFault } from '../../../server/telemetry/request-id.js'

const HOST = 'host'

const hostsIn = (rawHeaders: readonly string[]): number => {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === HOST.length && name.toLowerCase() === HOST) hosts++
  }
  return hosts
}

export const syntaxErrorOf = ({
  httpVersionMajor,
  httpVersion,
  rawHeaders,
  headers
}: IncomingMessage): string | undefined => {
  if (httpVersionMajor !== 1)
    return 'Bad request: the request line must end with a version, HTTP/1.1 or HTTP/1.0'
  const hosts = hostsIn(rawHeaders)
  // RFC 9112 §3.2
  if (hosts > 1) return 'Bad request: a request must have at most one Host header'
  if (hosts === 0 && httpVersion === '1.1')
    return 'Bad request: a request of HTTP/1.1 must have a Host header'
  return headers[REQUEST_ID] === undefined ? undefined : requestIdFault(headers)
}

/** Whether a request with these headers asks for a WebSocket (RFC 6455 §4.1). */
export const asksForWebSocket = (headers: IncomingHttpHeaders): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && /\bupgrade\b/i.test(headers.connection ?? '')
