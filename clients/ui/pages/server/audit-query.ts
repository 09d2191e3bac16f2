import { pointInTimeIn } from '../../time-travel/as-of-state.js'
import type { AuditEvent, AuditLine } from '../../../audit-lines.js'
import type { StreamedEvent } from '../../../typescript/stream-line.js'

/** The selection of an audit. Empty fields select everything. */
export interface AuditRequest {
  readonly accessor: string
  readonly topic: string
  readonly namespace: string
  /** Of events, such as `KVSet`. */
  readonly type: string
  /** An age such as `24h`, or a local time in the format of the browser's input fields. */
  readonly since: string
  /** A local time. */
  readonly until: string
}

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
