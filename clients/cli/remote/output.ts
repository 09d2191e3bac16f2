// The output of commands as text or JSON.
import type { Writable } from 'node:stream'

/** Control characters could change the terminal. */
const CONTROL = /\p{Cc}/gu

type Cell = string | number | bigint | boolean | null | undefined | readonly string[]

/** Escapes control characters, and joins lists. */
export const safe = (value: Cell): string =>
  (Array.isArray(value) ? value.join(', ') : String(value ?? '')).replaceAll(
    CONTROL,
    letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  )

const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.slice(0, -1).entries())
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
  return rows
    .map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map(line => line.trimEnd())
    .join('\n')
}

/** The name of a field, optionally after a heading that differs from it. */
type Column<Field extends string> = Field | readonly [heading: string, field: Field]

/** Returns the given fields of the rows in columns below their headings. */
export const table = <const Field extends string>(
  columns: readonly Column<Field>[],
  rows: readonly { readonly [Name in Field]?: Cell }[]
): string =>
  aligned([
    columns.map(column => (typeof column === 'string' ? column : column[0])),
    ...rows.map(row => columns.map(column => safe(row[typeof column === 'string' ? column : column[1]])))
  ])

/** Returns `Name: value` lines, without those whose value is empty. */
export const fields = (values: Readonly<Record<string, Cell>>): string =>
  aligned(
    Object.entries(values)
      .map(([name, value]) => [`${name}:`, safe(value)])
      .filter(([, value]) => value !== '')
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
