import type { IncomingMessage } from 'node:http'
import type { LeaderRequest } from '../../../http/wire/request-routing.js'

/** RFC 9110 §7.6.1, and older headers of the same kind. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade'
])

const tokensOf = (connection: string | undefined): readonly string[] =>
  (connection ?? '')
    .toLowerCase()
    .split(',')
    .map(name => name.trim())

/** Returns the end-to-end headers of a message: names and values in turn, as they were written. */
export const endToEndHeaders = (
  { rawHeaders, headers: { connection } }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  without: readonly string[] = []
): string[] => {
  const dropped = new Set([...tokensOf(connection), ...without])
  const kept: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    const known = name.toLowerCase()
    if (!OF_CONNECTION.has(known) && !dropped.has(known)) kept.push(name, rawHeaders[i + 1] ?? '')
  }
  return kept
}

/** Headers that concern the connection to this server, or that the forwarding server sets. */
const OWN_HEADERS: readonly string[] = ['host', 'origin', 'expect', 'content-length']

/** Replaced if this server has its own span. */
const TRACE_HEADERS: readonly string[] = ['traceparent', 'tracestate']

export const UPGRADE: readonly string[] = ['Connection', 'Upgrade', 'Upgrade', 'websocket']

/** Returns the client's headers, with this server's token if the client sent none. @param without further headers to remove, in lower case */
export const proxyRequestHeaders = (
  { request, message, body }: Pick<LeaderRequest, 'request' | 'message' | 'body'>,
  without: readonly string[]
): string[] => {
  const { span } = request
  const headers = endToEndHeaders(message, [...OWN_HEADERS, ...(span ? TRACE_HEADERS : []), ...without])
  if (span) headers.push(...Object.entries(span.headers).flat())
  const length = message.headers['content-length']
  if (body === message && length !== undefined) headers.push('Content-Length', length)
  if (request.presentedSecret === undefined && request.secret !== undefined)
    headers.push('X-Service-Token', request.secret)
  return headers
}
