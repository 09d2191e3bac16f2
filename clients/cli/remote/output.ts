// What commands print: contents that are rendered for a person, and data for programs.
import type { styleText } from 'node:util'
import { stringify } from 'lossless-json'
import { isObject } from '../../../events/values.js'
import { writeLines, type Console } from '../console.js'
import { arrayLines } from '../json-lines.js'
import { withRelativeTime } from './times.js'

/** Control characters could change the terminal. */
const CONTROL = /\p{Cc}/gu

/** An element of a list, of which its name is printed. */
type Link = Readonly<Record<string, unknown>>

type Metadata = Readonly<Record<string, string>>
export type Cell =
  string | number | bigint | boolean | null | undefined | readonly (string | Link)[] | Metadata
/** A resource of a response, of which only texts are printed. */
export type Row = Readonly<Record<string, Cell>>

const isList = (value: Cell): value is readonly (string | Link)[] => Array.isArray(value)

const NAMES = ['Name', 'ServiceName', 'NodeName', 'ID'] as const

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const nameOf = (link: Link): string => NAMES.map(name => link[name]).find(isText) ?? ''

export const isCell = (value: unknown): value is Cell => {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(part => typeof part === 'string' || isObject(part))
  return Object.values(value).every(part => typeof part === 'string')
}

/** Joins lists, the names of links and identities, and metadata as `a=1, b=2`, sorted by name. */
export const cellText = (value: Cell): string => {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  if (isList(value)) return value.map(part => (typeof part === 'string' ? part : nameOf(part))).join(', ')
  const names = Object.keys(value).toSorted()
  return names.map(name => `${name}=${value[name]}`).join(', ')
}

/** Returns the text of a value with escaped control characters. */
export const safe = (value: Cell): string =>
  cellText(value).replaceAll(CONTROL, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

type Style = Parameters<typeof styleText>[0]
export type Paint = (style: Style, text: string) => string

/** How contents are rendered. */
export interface Look {
  /** Tables have all columns. */
  readonly isWide: boolean
  /** Times are not relative to now. */
  readonly isAbsolute: boolean
  readonly paint: Paint
  /** In epoch ms. */
  readonly now: number
}

/** Texts, tables, and lists of contents below each other. */
export type Content = string | ((look: Look) => string) | readonly Content[]

const render = (content: Content, look: Look): string => {
  if (typeof content === 'string') return content
  if (typeof content === 'function') return content(look)
  return content.map(part => render(part, look)).join('\n')
}

/** Returns the text of a time as the look wants it. */
export const timeText = (time: string, { isAbsolute, now }: Look): string =>
  isAbsolute ? time : withRelativeTime(time, now)

const STYLES: Readonly<Record<string, Style>> = {
  passing: 'green',
  alive: 'green',
  leader: 'green',
  allow: 'green',
  ok: 'green',
  warning: 'yellow',
  leaving: 'yellow',
  critical: 'red',
  failed: 'red',
  deny: 'red'
}

/** @param styled adds a style to a padded cell */
const aligned = (
  rows: readonly (readonly string[])[],
  styled: (cell: string, padded: string, row: number) => string = (_, padded) => padded
): string => {
  const widths: number[] = []
  for (const row of rows)
    for (const [column, cell] of row.slice(0, -1).entries())
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
  return rows
    .map((row, line) =>
      row
        .map((cell, column) => styled(cell, cell.padEnd(widths[column] ?? 0), line))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

/** The name of a field, optionally after a heading that differs from it. */
type Column<Field extends string> = Field | readonly [heading: string, field: Field]

const headingOf = (column: Column<string>): string => (typeof column === 'string' ? column : column[0])
const fieldOf = <Field extends string>(column: Column<Field>): Field =>
  typeof column === 'string' ? column : column[1]

/** Only the read of one resource prints its secret. */
const SECRETS: ReadonlySet<string> = new Set(['SecretID', 'Token'])

/** Returns the fields of the rows that are no columns yet and can be printed in a cell. */
const otherFields = (columns: readonly string[], rows: readonly object[]): readonly string[] => {
  const found = new Set<string>()
  for (const row of rows)
    for (const [name, value] of Object.entries(row))
      if (isCell(value) && cellText(value) && !SECRETS.has(name)) found.add(name)
  return [...found].filter(name => !columns.includes(name))
}

const cellIn = (row: object, field: string): Cell => {
  const value: unknown = Reflect.get(row, field)
  return isCell(value) ? value : undefined
}

/** Returns the given fields of the rows in columns below their headings. A wide table has the other fields, too. */
export const table =
  <const Field extends string>(
    columns: readonly Column<Field>[],
    rows: readonly { readonly [Name in Field]?: Cell }[]
  ): Content =>
  look => {
    const names = columns.map(fieldOf)
    const others = look.isWide ? otherFields([...names, ...columns.map(headingOf)], rows) : []
    const textOf = (row: object, field: string): string => timeText(safe(cellIn(row, field)), look)
    return aligned(
      [
        [...columns.map(headingOf), ...others],
        ...rows.map(row => [...names, ...others].map(field => textOf(row, field)))
      ],
      (cell, padded, line) => {
        const style = line === 0 ? 'bold' : STYLES[cell]
        return style === undefined ? padded : look.paint(style, padded)
      }
    )
  }

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

export const FORMS = ['table', 'wide', 'json', 'yaml', 'jsonl'] as const
export type Form = (typeof FORMS)[number]

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

const jsonOf = (value: unknown, indent?: number): string => stringify(value, undefined, indent) ?? 'null'

interface Streamed<Element> {
  readonly asTexts: (elements: AsyncIterable<Element>) => AsyncIterable<string>
  /** JSON has a line for each element instead of an array. */
  readonly hasLines?: true
}

/** Prints results on standard output, and notes on standard error. */
export class Output {
  /** @param yamlOf required by the form `yaml` */
  constructor(
    private readonly console: Pick<Console, 'out' | 'err'>,
    private readonly form: Form,
    readonly look: Look,
    private readonly yamlOf: (value: unknown) => string = value => jsonOf(value)
  ) {}

  /** True if programs read the output. */
  get isData(): boolean {
    return this.form !== 'table' && this.form !== 'wide'
  }

  print(content: Content): void {
    const text = render(content, this.look)
    if (text !== '') this.console.out.write(`${text}\n`)
  }

  /** Prints a value in the form for programs; JSON by default. */
  data(value: unknown): void {
    if (this.form === 'jsonl') this.print([value].flat().map(one => jsonOf(one)))
    else this.print(this.form === 'yaml' ? this.yamlOf(value).trimEnd() : jsonOf(value, 2))
  }

  /** Prints a value as data or as text. @param nothing the note for an empty list */
  show<Value>(value: Value, asContent: (value: Value) => Content, nothing = '0 results'): void {
    if (this.isData) this.data(value)
    else if (isEmpty(value)) this.note(nothing)
    else this.print(asContent(value))
  }

  /** Prints elements while they arrive, and a note if there are none. */
  async stream<Element>(
    elements: AsyncIterable<Element>,
    { asTexts, hasLines }: Streamed<Element>
  ): Promise<void> {
    let isNone = true
    const counted = async function* () {
      for await (const element of elements) {
        isNone = false
        yield element
      }
    }
    const lines = async function* (textOf: (element: Element) => string) {
      for await (const element of counted()) yield textOf(element)
    }
    const indented = (element: Element): string => jsonOf(element, 2).replaceAll(/^/gm, '  ')
    const all = (): AsyncIterable<string> => {
      if (!this.isData) return asTexts(counted())
      if (this.form === 'yaml') return lines(element => this.yamlOf([element]).trimEnd())
      return this.form === 'jsonl' || hasLines
        ? lines(element => jsonOf(element))
        : arrayLines(counted(), indented)
    }
    await writeLines(this.console.out, all())
    if (isNone) this.note('0 results')
  }

  bytes(bytes: Uint8Array): void {
    this.console.out.write(bytes)
  }

  /** Prints a confirmation or hint on standard error, unless programs read the output. */
  note(text: string): void {
    if (!this.isData) this.console.err.write(`${text}\n`)
  }
}
