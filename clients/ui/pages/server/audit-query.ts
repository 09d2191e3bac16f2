import { pointInTimeIn } from '../../time-travel/as-of-state.js'
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

export interface AuditEvent {
  readonly Topic: string
  readonly Type: string
  readonly Key: string
  readonly Namespace: string
  readonly Partition?: string
  readonly Payload?: StreamedEvent['Payload']
}

export interface AuditLine {
  readonly Index?: number
  readonly Time: string
  readonly By?: {
    readonly AccessorID: string
    readonly TokenName?: string
    readonly Address: string
    readonly Command: string
    readonly Reason?: string
    readonly ChangeSet?: string
    readonly Owner?: string
  }
  readonly Events?: readonly AuditEvent[]
  readonly AfterIndex?: number
  readonly AccessorID?: string
  readonly Address?: string
  readonly Method?: string
  readonly Path?: string
  readonly Permission?: string
  readonly On?: string | null
  readonly Namespace?: string
  readonly Partition?: string
  readonly Refusal?: string
  readonly Count?: number
  readonly LeftOut?: number
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

const cell = (value: string | number | null | undefined): string => {
  const text = value === undefined || value === null ? '' : String(value)
  // A spreadsheet would execute a text that starts like a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const HEAD = [
  'Index',
  'Time',
  'AccessorID',
  'Address',
  'Command',
  'Reason',
  'ChangeSet',
  'Owner',
  'Events',
  'Request',
  'Permission',
  'On'
]

/** Formats lines as CSV (RFC 4180). */
export const auditCsv = (lines: readonly AuditLine[]): string =>
  [
    HEAD,
    ...lines.map(({ By, Events = [], ...line }) => [
      line.Index ?? line.AfterIndex,
      line.Time,
      By?.AccessorID ?? line.AccessorID,
      By?.Address ?? line.Address,
      By?.Command,
      By?.Reason,
      By?.ChangeSet,
      By?.Owner,
      Events.map(({ Type, Key }) => `${Type} ${Key}`).join('; '),
      line.Method && `${line.Method} ${line.Path ?? ''}`,
      line.Permission ?? line.Refusal,
      line.On
    ])
  ]
    .map(cells => cells.map(cell).join(','))
    .join('\r\n')
