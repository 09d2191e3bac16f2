// Formats log lines for people: `12:00:01.500 [INFO]  listening  address=127.0.0.1 port=8500`. Tools expect the level in brackets.
import { isObject, parseObject } from '../../../events/values.js'
import type { DestinationStream } from 'pino'

export type Fields = Readonly<Record<string, unknown>>

const valueText = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)

const fieldTexts = (record: Fields, prefix = ''): readonly string[] =>
  Object.entries(record).flatMap(([name, value]) =>
    isObject(value) ? fieldTexts(value, `${prefix}${name}.`) : [`${prefix}${name}=${valueText(value)}`]
  )

/** Formats a JSON line, followed by the stack of an error. Other lines are unchanged. */
export const prettyLine = (line: string): string => {
  const record = parseObject(line)
  if (!record) return line
  const { time, level, msg, err, ...fields } = record
  const { stack = '', ...error } = isObject(err) ? err : {}
  const head = [
    String(time).slice(11, 23),
    `[${String(level).toUpperCase()}]`.padEnd(7),
    typeof msg === 'string' ? msg : ''
  ].join(' ')
  const rest = fieldTexts({ ...fields, ...(isObject(err) ? { err: error } : {}) })
  return `${[head.trimEnd(), ...rest].join('  ')}\n${stack === '' ? '' : `${String(stack)}\n`}`
}

export const prettyStream = (out: DestinationStream): DestinationStream => ({
  write: line => out.write(prettyLine(line))
})
