// Lines of an audit as CSV, for the command line and the pages.

/** A commit or a denied attempt. */
export interface AuditRow {
  readonly Index?: number
  readonly Time?: string
  readonly By?: {
    readonly AccessorID?: string
    readonly Address?: string
    readonly Command?: string
    readonly Reason?: string
    readonly ChangeSet?: string
    readonly Owner?: string
  }
  readonly Events?: readonly { readonly Type: string; readonly Key: string }[]
  readonly AfterIndex?: number
  readonly AccessorID?: string
  readonly Address?: string
  readonly Method?: string
  readonly Path?: string
  readonly Permission?: string
  readonly On?: string | null
  readonly Refusal?: string
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
export const auditRow = ({ By, Events = [], ...line }: AuditRow): string =>
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
