// What a report shows without proof, since it is not in the log: denied attempts, and the last uses of tokens.
import type { DenialLine } from '../../http/audit/denied-attempt.js'
import { isObject } from '../../events/values.js'

interface Denied extends DenialLine {
  readonly Kind: 'Denied'
}

interface TokenUse {
  readonly Kind: 'TokenUse'
  readonly AccessorID: string
  /** RFC 3339, to the minute. */
  readonly LastUsed: string
}

export type UnprovedLine = Denied | TokenUse

const FIELDS: Readonly<Record<keyof Denied | keyof TokenUse, 'string' | 'number' | 'boolean'>> = {
  Kind: 'string',
  Time: 'string',
  AfterIndex: 'number',
  AccessorID: 'string',
  Erased: 'boolean',
  Address: 'string',
  RequestID: 'string',
  Method: 'string',
  Path: 'string',
  Permission: 'string',
  On: 'string',
  Namespace: 'string',
  Partition: 'string',
  Refusal: 'string',
  Count: 'number',
  LeftOut: 'number',
  LastUsed: 'string'
}

const isField = ([name, value]: readonly [string, unknown]): boolean =>
  Object.entries(FIELDS).some(([known, type]) => known === name && typeof value === type) ||
  (name === 'On' && value === null)

/** Tells whether a foreign value is a line that a report can show. */
export const isUnproved = (value: unknown): value is UnprovedLine => {
  if (!isObject(value) || !Object.entries(value).every(isField)) return false
  return value['Kind'] === 'TokenUse'
    ? 'AccessorID' in value && 'LastUsed' in value
    : value['Kind'] === 'Denied' && 'Time' in value && 'AfterIndex' in value
}

const attemptOf = (line: Denied): string => {
  if (line.LeftOut !== undefined) return `${line.LeftOut} more attempts were denied`
  const on = line.On ? ` on ${JSON.stringify(line.On)}` : ''
  const reason = line.Refusal ?? `lacks ${line.Permission ?? ''}${on}`
  const times = line.Count === undefined ? '' : `, ${line.Count} times`
  return `denied: ${line.Method ?? ''} ${line.Path ?? ''}: ${reason}${times}`
}

/** Returns time, newest commit, token, address and a description of a line. */
export const cellsOf = (line: UnprovedLine): readonly string[] =>
  line.Kind === 'TokenUse'
    ? [line.LastUsed, '', line.AccessorID, '', 'last use of the token']
    : [
        line.Time,
        String(line.AfterIndex),
        line.Erased ? 'erased' : (line.AccessorID ?? ''),
        line.Address ?? '',
        attemptOf(line)
      ]
