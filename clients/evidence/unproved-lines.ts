// What a report shows without proof, since it is not in the log: denied attempts, used rights, and the last uses of tokens.
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

/** A permission that a token used on a day. */
interface RightUse {
  readonly Kind: 'RightUse'
  readonly AccessorID: string
  /** As in `key:read`. */
  readonly Permission: string
  /** Name of the resource, or a prefix of names. */
  readonly On: string
  readonly Namespace: string
  readonly Partition: string
  readonly Count: number
  /** RFC 3339, to the minute, as `LastUsed`. */
  readonly FirstUsed: string
  readonly LastUsed: string
}

export type UnprovedLine = Denied | TokenUse | RightUse

const FIELDS: Readonly<
  Record<keyof Denied | keyof TokenUse | keyof RightUse, 'string' | 'number' | 'boolean'>
> = {
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
  FirstUsed: 'string',
  LastUsed: 'string'
}

const REQUIRED: ReadonlyMap<string, readonly string[]> = new Map([
  ['Denied', ['Time', 'AfterIndex']],
  ['TokenUse', ['AccessorID', 'LastUsed']],
  ['RightUse', ['AccessorID', 'Permission', 'On', 'Count', 'LastUsed']]
])

const isField = ([name, value]: readonly [string, unknown]): boolean =>
  Object.entries(FIELDS).some(([known, type]) => known === name && typeof value === type) ||
  (name === 'On' && value === null)

/** Tells whether a foreign value is a line that a report can show. */
export const isUnproved = (value: unknown): value is UnprovedLine => {
  if (!isObject(value) || !Object.entries(value).every(isField)) return false
  const required = REQUIRED.get(String(value['Kind']))
  return required?.every(name => value[name] !== undefined && value[name] !== null) === true
}

const attemptOf = (line: Denied): string => {
  if (line.LeftOut !== undefined) return `${line.LeftOut} more attempts were denied`
  const on = line.On ? ` on ${JSON.stringify(line.On)}` : ''
  const reason = line.Refusal ?? `lacks ${line.Permission ?? ''}${on}`
  const times = line.Count === undefined ? '' : `, ${line.Count} times`
  return `denied: ${line.Method ?? ''} ${line.Path ?? ''}: ${reason}${times}`
}

/** Returns time, newest commit, token, address and a description of a line. */
export const cellsOf = (line: UnprovedLine): readonly string[] => {
  if (line.Kind === 'Denied') {
    const token = line.Erased ? 'erased' : (line.AccessorID ?? '')
    return [line.Time, String(line.AfterIndex), token, line.Address ?? '', attemptOf(line)]
  }
  const used =
    line.Kind === 'TokenUse'
      ? 'last use of the token'
      : `used ${line.Permission} on ${JSON.stringify(line.On)}: ${line.Count} times`
  return [line.LastUsed, '', line.AccessorID, '', used]
}
