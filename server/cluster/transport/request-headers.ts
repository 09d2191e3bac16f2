// The headers with which a request of a client goes on to another server.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { RequestContext } from '../../../http/wire/request-context.js'

/** RFC 9110 §7.6.1, and what older programs send of the kind. */
const OF_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade'
]

const tokensOf = (connection: string | undefined): readonly string[] =>
  (connection ?? '')
    .toLowerCase()
    .split(',')
    .map(name => name.trim())

/** The headers of a message that are not of its connection alone: names and values in turn, as they were written. */
export const endToEndHeaders = (
  { rawHeaders, headers: { connection } }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  without: readonly string[] = []
): string[] => {
  const dropped = new Set([...OF_CONNECTION, ...tokensOf(connection), ...without])
  const kept: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2)
    if (!dropped.has(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}

/** What says something of the connection to this server, or is said anew. */
const OWN_HEADERS: readonly string[] = ['host', 'origin', 'expect', 'content-length']

/** What tells which trace it belongs to, where this server has its own span in that. */
const TRACE_HEADERS: readonly string[] = ['traceparent', 'tracestate']

/** What asks for a WebSocket. */
export const UPGRADE: readonly string[] = ['Connection', 'Upgrade', 'Upgrade', 'websocket']

/** What is sent on. */
interface SentOn {
  readonly request: RequestContext
  readonly message: IncomingMessage
  /** Its body: whole, or the message itself where it is sent on as it comes. */
  readonly body: Buffer | Readable | undefined
}

/**
 * Those of the client, and the token that this server has for who brings none.
 * @param without further ones that do not go on, in lower case
 */
export const proxyRequestHeaders = (
  { request, message, body }: SentOn,
  without: readonly string[]
): string[] => {
  const { span } = request.incoming
  const headers = endToEndHeaders(message, [...OWN_HEADERS, ...(span ? TRACE_HEADERS : []), ...without])
  if (span) headers.push(...Object.entries(span.headers).flat())
  const length = message.headers['content-length']
  if (body === message && length !== undefined) headers.push('Content-Length', length)
  if (request.presentedSecret === undefined && request.secret !== undefined)
    headers.push('X-Service-Token', request.secret)
  return headers
}
