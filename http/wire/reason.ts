import type { IncomingRequest } from './bodies/incoming-request.js'
import { invalid } from '../../actors/refusal.js'
import { type Command, SERVER } from '../../actors/aggregate.js'
import type { CommitRule } from '../../actors/ports.js'
import type { Event } from '../../events/envelope.js'
import { isNamespaceEvent, isPartitionEvent } from '../../events/namespace.js'
import type { LiveSettings } from '../../server/settings/settings.js'

export const REASON_HEADER = 'X-Service-Reason'
/** The name of the header as it is received. */
export const REASON = REASON_HEADER.toLowerCase()
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
 * Returns the reason of a write that states one.
 * @throws Refusal `invalid`, naming header and rule
 */
export const reasonOf = (request: IncomingRequest): string => {
  const [value = '', ...others] = request.headerValues(REASON)
  const text = others.length === 0 ? textOf(value) : undefined
  if (text === undefined || !isReason(text))
    throw invalid('request.reason-invalid', `Bad request: ${REASON_HEADER} ${RULE}`)
  return text
}

/** Repeated commands of programs, which have no particular reason, and the pieces of a restore, which began with a reason. */
const EXEMPT: ReadonlySet<string> = new Set([
  'Login',
  'OpenOidcRequest',
  'UseOidcRequest',
  'Logout',
  'UpdateAgentCheck',
  'UpdateCoordinates',
  'MoveCursors',
  'RestoreSnapshotPiece',
  'EndSnapshotRestore'
])

/** Splits an entry of the setting: `NAMESPACE`, or `PARTITION/NAMESPACE`. */
const placeOf = (entry: string): readonly [partition: string, namespace: string] => {
  const at = entry.indexOf('/')
  return at < 0 ? ['default', entry] : [entry.slice(0, at), entry.slice(at + 1)]
}

/** Returns true if an event changes a namespace or its content. A restore changes all of them. */
const touches = (event: Event, entry: string, command: Command): boolean => {
  if (entry === '*' || command.name === 'RestoreSnapshot') return true
  const [partition, namespace] = placeOf(entry)
  if (isPartitionEvent(event)) return event.Key === partition
  if (event.Partition !== partition) return false
  if (isNamespaceEvent(event)) return event.Key === namespace
  return event.Namespace === namespace || event.Namespace === '*'
}

export const requiredReasons =
  (live: LiveSettings): CommitRule =>
  (command, events) => {
    const { required } = live.current.reason
    if (required.length === 0 || command.caller.reason !== undefined) return
    if (command.caller === SERVER || EXEMPT.has(command.name)) return
    const entry = required.find(one => events.some(event => touches(event, one, command)))
    if (entry === undefined) return
    const where = entry === '*' ? 'Every write' : `A write that changes namespace "${entry}"`
    throw invalid(
      'request.reason-required',
      `Bad request: header ${REASON_HEADER} is missing. ${where} must say why it is made (reason.required)`
    )
  }
