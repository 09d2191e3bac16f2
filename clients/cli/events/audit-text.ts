// Lines of the audit as text.
import { originText, placeText } from '../origin-text.js'
import { safe } from '../remote/output.js'

/** With `denials`. */
interface Denial {
  readonly Method?: string
  readonly Path?: string
  readonly AccessorID?: string
  readonly Address?: string
  readonly Permission?: string
  readonly On?: string
  readonly Refusal?: string
  readonly Count?: number
  readonly LeftOut?: number
}

export interface AuditLine extends Denial {
  readonly Index?: number
  readonly Time?: string
  readonly By?: Parameters<typeof originText>[0]
  readonly Events?: readonly {
    readonly Topic: string
    readonly Type: string
    readonly Key: string
    readonly Namespace: string
    readonly Partition?: string
    readonly Erased?: true
  }[]
  readonly Error?: { readonly Code: number; readonly Message: string }
  readonly End?: string
  readonly LastIndex?: number
  readonly Withheld?: number
}

const commitLines = ({ Index, Time, By = {}, Events = [] }: AuditLine): readonly string[] => [
  `${Index}  ${Time}  ${originText(By)}`,
  ...Events.map(
    event => `    ${event.Topic} ${event.Type}  ${placeText(event)}${event.Erased ? '  (erased)' : ''}`
  )
]

/** An attempt that was denied, several that were the same, or a count of those that are not told. */
const denialLine = (denial: AuditLine): string => {
  const { Time, LeftOut, Method = '', Path = '', AccessorID, Address = '', Count } = denial
  if (LeftOut !== undefined) return `${Time}  ${LeftOut} more were denied`
  const where = denial.On ? ` on "${denial.On}"` : ''
  const what = denial.Refusal ?? `lacks ${denial.Permission}${where}`
  const who = AccessorID ? `token ${AccessorID}` : 'without a valid token'
  const times = Count === undefined ? '' : `, ${Count} times`
  return `${Time}  ${Method} ${Path}  ${who} from ${Address}: ${what}${times}`
}

/** A commit with its events, or what was denied, without line feed. */
export const auditText = (line: AuditLine): string =>
  (line.Index === undefined ? [denialLine(line)] : commitLines(line)).map(safe).join('\n')
