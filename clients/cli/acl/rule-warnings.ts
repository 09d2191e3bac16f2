import { safe } from '../remote/output.js'
import type { Console } from '../console.js'

interface Notice {
  readonly Message: string
  readonly Line: number
  readonly Column: number
}

export const noticeText = (kind: string, { Message, Line, Column }: Notice): string =>
  `${kind} at ${Line}:${Column}: ${safe(Message)}`

/** Warns of rules that are stored but have no effect, such as misspelt ones. Errors are left to the server. */
export const warnOfRules = async ({ err }: Pick<Console, 'err'>, rules: unknown): Promise<void> => {
  if (typeof rules !== 'string' || rules === '') return
  const { ruleWarnings } = await import('../../../projections/acl/rule-decisions.js')
  for (const { message, line, column } of ruleWarnings(rules))
    err.write(`${noticeText('Warning', { Message: message, Line: line, Column: column })}\n`)
}
