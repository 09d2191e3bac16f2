import type { Incoming } from './bodies/incoming-request.js'
import { invalid } from '../../actors/refusal.js'

export const REASON_HEADER = 'X-Service-Reason'
const NAME = REASON_HEADER.toLowerCase()
const LONGEST = 512
/** The form of RFC 8187 §3.2.1 with its one mandatory charset: `UTF-8'language'percent-encoded`. */
const EXTENDED = /^utf-8'[A-Za-z0-9-]*'((?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-Fa-f]{2})*)$/i
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/
/** Characters that break log lines or terminals: controls, lone surrogates, line breaks, bidirectional overrides. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

const RULE =
  `must be 1 to ${LONGEST} printable characters, given once: ASCII as it is, ` +
  "any other text in UTF-8 as RFC 8187 has it, such as UTF-8''na%C3%AFve"

const decoded = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

const textOf = (value: string): string | undefined => {
  const encoded = EXTENDED.exec(value)?.[1]
  if (encoded !== undefined) return decoded(encoded)
  return PRINTABLE_ASCII.test(value) && !/^utf-8'/i.test(value) ? value : undefined
}

export const isReason = (text: string): boolean =>
  text !== '' && !UNPRINTABLE.test(text) && Array.from(text).length <= LONGEST

/**
 * Returns the reason of a write; undefined if absent, and for reads, which make no commit.
 * @throws Refusal `invalid`, naming header and rule
 */
export const reasonOf = (incoming: Incoming): string | undefined => {
  if (incoming.method === 'GET' || incoming.header(NAME) === undefined) return undefined
  const [value = '', ...others] = incoming.values(NAME)
  const text = others.length === 0 ? textOf(value) : undefined
  if (text === undefined || !isReason(text)) throw invalid(`Bad request: ${REASON_HEADER} ${RULE}`)
  return text
}
