// Metadata of nodes as TXT records (RFC 1464; spec: queries.md §8.3).
import type { DnsRecord } from './records.js'

type Texts = Readonly<Record<string, string>>

const VERBATIM = /^rfc1035-/i

/** A key with the characters escaped that would end it. */
const quoted = (key: string): string => {
  const inside = key.replaceAll('`', '``').replaceAll('=', '`=')
  return inside
    .replace(/^[ \t]+/, spaces => Array.from(spaces, space => `\`${space}`).join(''))
    .replace(/[ \t]+$/, spaces => Array.from(spaces, space => `\`${space}`).join(''))
}

/** A key that begins with `rfc1035-` stands for its value alone. */
const textOf = (key: string, value: string): string =>
  VERBATIM.test(key) ? value : `${quoted(key)}=${value.replaceAll('`', '``')}`

export const metadataRecords = (name: string, meta: Texts | null, ttl: number): DnsRecord[] =>
  Object.entries(meta ?? {}).map(([key, value]) => ({ type: 'TXT', name, ttl, data: textOf(key, value) }))
