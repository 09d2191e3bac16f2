import type { Writable } from 'node:stream'

/** Control characters could change the terminal. */
const CONTROL = /\p{Cc}/gu

interface Link {
  readonly ID?: string
  readonly Name?: string
}

type Metadata = Readonly<Record<string, string>>
export type Cell =
  string | number | bigint | boolean | null | undefined | readonly (string | Link)[] | Metadata
/** A resource of a response, of which only texts are printed. */
export type Row = Readonly<Record<string, Cell>>

const isList = (value: Cell): value is readonly (string | Link)[] => Array.isArray(value)

/** Joins lists, the names of links, and metadata as `a=1, b=2`, sorted by name. */
export const cellText = (value: Cell): string => {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  if (isList(value))
    return value.map(part => (typeof part === 'string' ? part : (part.Name ?? part.ID ?? ''))).join(', ')
  const names = Object.keys(value).toSorted()
  return names.map(name => `${name}=${value[name]}`).join(', ')
}

/** Returns the text of a value with escaped control characters. */
export const safe = (value: Cell): string =>
  cellText(value).replaceAll(CONTROL, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

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

const headingOf = (column: Column<string>): string => (typeof column === 'string' ? column : column[0])
const fieldOf = <Field extends string>(column: Column<Field>): Field =>
  typeof column === 'string' ? column : column[1]

/** Returns the given fields of the rows in columns below their headings. */
export const table = <const Field extends string>(
  columns: readonly Column<Field>[],
  rows: readonly { readonly [Name in Field]?: Cell }[]
): string =>
  aligned([columns.map(headingOf), ...rows.map(row => columns.map(column => safe(row[fieldOf(column)])))])

/** Returns `Name: value` lines, without those whose value is empty. */
export const fields = (values: Row): string =>
  aligned(
    Object.entries(values)
      .map(([name, value]) => [`${name}:`, safe(value)])
      .filter(([, value]) => value !== '')
  )

/** Returns the given fields of a resource as `Name: value` lines, without those whose value is empty. */
export const details = <const Field extends string>(
  columns: readonly Column<Field>[],
  resource: { readonly [Name in Field]?: Cell }
): string => fields(Object.fromEntries(columns.map(column => [headingOf(column), resource[fieldOf(column)]])))

export class Output {
  constructor(
    private readonly out: Writable,
    readonly isJson: boolean
  ) {}

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
