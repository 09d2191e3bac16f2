// The output of commands as text or JSON.
import type { Writable } from 'node:stream'

/** Control characters could change the terminal. */
const CONTROL = /\p{Cc}/gu

type OutputView = string | number | bigint | boolean | null | undefined

/** Escapes control characters. */
export const safe = (value: OutputView): string =>
  String(value ?? '').replaceAll(
    CONTROL,
    letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  )

export type Row = readonly OutputView[]

const widthsOf = (rows: readonly (readonly string[])[]): readonly number[] => {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  return widths
}

const aligned = (rows: readonly Row[], gap: string): string => {
  const cells = rows.map(row => row.map(safe))
  const widths = widthsOf(cells.map(row => row.slice(0, -1)))
  const lines = cells.map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(gap))
  return lines.map(line => line.trimEnd()).join('\n')
}

export const table = (heading: readonly string[], rows: readonly Row[]): string =>
  aligned([heading, ...rows], '  ')

/** Returns `Name: value` lines, without those whose value is empty. */
export const fields = (rows: readonly (readonly [name: string, value: OutputView])[]): string =>
  aligned(
    rows
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => [`${name}:`, value]),
    '  '
  )

export class Output {
  constructor(
    private readonly out: Writable /** Whether JSON is asked for. */,
    readonly isJson: boolean
  ) {}

  /** Prints lines, or nothing for an empty text. */
  print(text: string): void {
    if (text !== '') this.out.write(`${text}\n`)
  }

  json(value: unknown): void {
    this.print(JSON.stringify(value, null, 2))
  }

  /** Prints a value as JSON or text. */
  show<Value>(value: Value, asText: (value: Value) => string): void {
    if (this.isJson) this.json(value)
    else this.print(asText(value))
  }

  bytes(bytes: Uint8Array): void {
    this.out.write(bytes)
  }

  /** Prints a confirmation, unless JSON is printed: programs use the exit code. */
  done(text: string): void {
    if (!this.isJson) this.print(text)
  }
}
