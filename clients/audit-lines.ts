// The lines of an audit, and their form as CSV, for the command line and the pages.
import type { DenialLine } from '../http/audit/denied-attempt.js'
import type { Schemas } from './typescript/typed/index.js'

export interface AuditEvent extends Pick<
  Schemas['StreamedEvent'],
  'Topic' | 'Type' | 'Key' | 'Namespace' | 'Partition'
> {
  readonly Payload?: Readonly<Record<string, unknown>>
  readonly Erased?: true
}

/** A commit, a denied attempt, several equal ones, the count of those that were omitted, or the end of the response. */
export interface AuditLine extends Partial<DenialLine> {
  readonly Index?: number
  readonly By?: Schemas['VersionOrigin']
  readonly Events?: readonly AuditEvent[]
  readonly Error?: { readonly Code: number; readonly Message: string }
  readonly End?: string
  readonly LastIndex?: number
  readonly Withheld?: number
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

export const AUDIT_HEAD = HEAD.join(',')

/** Returns a line of CSV (RFC 4180) without its end. */
export const auditRow = ({ By, Events = [], ...line }: AuditLine): string =>
  [
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
  ]
    .map(cell)
    .join(',')
