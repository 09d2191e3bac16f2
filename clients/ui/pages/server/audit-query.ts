import { pointInTimeIn } from '../../time-travel/as-of-state.js'
import type { AuditEvent, AuditLine } from '../../../audit-lines.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'

/** Returns the selection in an address. The default period is the last day, and empty fields select everything. */
export const auditRequestIn = (query: Readonly<Record<string, string>>) => {
  const { accessor = '', topic = '', namespace = '', type = '', since = '24h', until = '' } = query
  // The start may be an age. Times are local, in the format of the browser's input fields.
  return { accessor, topic, namespace, type, since, until }
}

export type AuditRequest = Readonly<ReturnType<typeof auditRequestIn>>

/** Returns an event of a commit as the stream has it. */
export const streamedEvent = (event: AuditEvent, index: number): StreamedEvent => {
  const { Partition = '', Payload = {} } = event
  return { ...event, Partition, Payload, Index: index, FilterKeys: null }
}

interface AuditResponse {
  readonly lines: readonly AuditLine[]
  /** Why the response ended early. */
  readonly failure: string | undefined
}

interface LastLine {
  readonly Error?: { readonly Message: string }
}

/** @param text JSON lines, of which the last states the end */
export const auditIn = (text: string): AuditResponse => {
  const found: (AuditLine & LastLine)[] = text
    .split('\n')
    .filter(line => line !== '' && line !== '{}')
    .map(line => JSON.parse(line))
  const last = found.at(-1)
  return { lines: found.filter(({ Time }) => Time !== undefined), failure: last?.Error?.Message }
}

/** RFC 3339; undefined for an empty field. */
export const utcTime = (local: string): string | undefined => {
  const time = local === '' ? undefined : pointInTimeIn(local, Date.now())
  return typeof time === 'string' ? time : undefined
}
