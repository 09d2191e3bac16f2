// Which headers go on with a message that a server hands on, and which are of its one connection.
import type { IncomingMessage } from 'node:http'

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
