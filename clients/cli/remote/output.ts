// What commands print: the same text on a terminal and in a pipe, or JSON for programs.
import type { Writable } from 'node:stream'

/** Control characters, with which a text could change what a terminal shows. */
const CONTROL = /\p{Cc}/gu

/** What a line or a cell may show. */
type OutputView = string | number | bigint | boolean | null | undefined

/** A value of the server as one line that is safe to show. */
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

/** Lines with a heading, in columns. */
export const table = (heading: readonly string[], rows: readonly Row[]): string =>
  aligned([heading, ...rows], '  ')

/** `Name: value` lines; those without a value are left out. */
export const fields = (rows: readonly (readonly [name: string, value: OutputView])[]): string =>
  aligned(
    rows
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => [`${name}:`, value]),
    '  '
  )

/** Where a command prints. */
export class Output {
  constructor(
    private readonly out: Writable /** Whether JSON is asked for. */,
    readonly isJson: boolean
  ) {}

  /** Prints one or more lines; nothing for an empty text. */
  print(text: string): void {
    if (text !== '') this.out.write(`${text}\n`)
  }

  json(value: unknown): void {
    this.print(JSON.stringify(value, null, 2))
  }

  /** Prints a value as JSON if that is asked for, and else as text. */
  show<Value>(value: Value, asText: (value: Value) => string): void {
    if (this.isJson) this.json(value)
    else this.print(asText(value))
  }

  /** Prints bytes as they are, with nothing behind them. */
  bytes(bytes: Uint8Array): void {
    this.out.write(bytes)
  }

  /** Prints a confirmation, unless JSON is printed: programs use the exit code. */
  done(text: string): void {
    if (!this.isJson) this.print(text)
  }
}
