// Resources as text. Fields that the declaration does not mention follow those that it does.
import type { Field, Fields } from '../../../events/definition/types.js'
import { isObject } from '../../../events/values.js'
import { cellText, details, isCell, safe, table, type Cell, type Content } from '../remote/output.js'
import type { Values } from './field-inputs.js'

type Column = string | readonly [heading: string, field: string]

export interface ResourceText {
  readonly fields: Fields
  /** The columns of a list. */
  readonly columns: readonly Column[]
  /** The lines of one resource. */
  readonly details: readonly Column[]
  /** Fields below their headings: texts of several lines. */
  readonly blocks?: readonly string[]
  /** Returns further values of a resource, which `details` may name. */
  readonly derived?: (resource: Values) => Values
  /** Texts for empty values in lists, by field. */
  readonly empty?: Readonly<Record<string, string>>
}

const textOf = (value: unknown): string => (isCell(value) ? cellText(value) : '')

const cellsOf = (resource: Values, empty: Readonly<Record<string, string>>): Record<string, Cell> => {
  const cells: Record<string, Cell> = {}
  for (const [name, value] of Object.entries(resource)) if (isCell(value)) cells[name] = value
  for (const [name, text] of Object.entries(empty)) {
    const value = resource[name]
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0))
      cells[name] = text
  }
  return cells
}

const isScalar = ({ form }: Field): boolean =>
  !['links', 'object', 'free'].includes(form.type) && !(form.type === 'list' && form.of.type === 'object')

/** Returns the names of fields that callers set and the declaration does not mention. */
const unmentioned = ({ fields, columns, details: lines, blocks = [] }: ResourceText): readonly string[] => {
  const mentioned = new Set(
    [...columns, ...lines].map(column => (typeof column === 'string' ? column : column[1]))
  )
  return Object.entries(fields)
    .filter(
      ([name, field]) =>
        field.by === 'caller' &&
        field.shown !== 'never' &&
        isScalar(field) &&
        !mentioned.has(name) &&
        !blocks.includes(name)
    )
    .map(([name]) => name)
}

export const listText = (declared: ResourceText, resources: readonly Values[]): Content => {
  const others = unmentioned(declared).filter(
    name =>
      declared.fields[name]?.listed !== 'never' && resources.some(resource => textOf(resource[name]) !== '')
  )
  return table(
    [...declared.columns, ...others],
    resources.map(resource => cellsOf(resource, declared.empty ?? {}))
  )
}

const spaced = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')

/** Returns `web (Datacenters: all)`: the first field, and the others. */
const elementText = (fields: Fields, element: Values): string => {
  const [first, ...others] = Object.entries(fields).filter(([, { shown }]) => shown !== 'never')
  const valueOf = ([name]: readonly [string, Field]): string => {
    return textOf(element[name]) || 'all'
  }
  return first
    ? `${valueOf(first)} (${others.map(field => `${field[0]}: ${valueOf(field)}`).join(', ')})`
    : ''
}

const linkText = ({ ID = '', Name = '' }: Values): string => `${textOf(ID)} - ${textOf(Name)}`

/** Returns the heading and the elements of a list of links or objects. */
const sectionLines = (name: string, { form }: Field, value: unknown): readonly string[] => {
  if (!Array.isArray(value) || value.length === 0) return []
  const element = form.type === 'list' && form.of.type === 'object' ? form.of.fields : undefined
  if (!element && form.type !== 'links') return []
  const lines = value
    .filter(isObject)
    .map(part => `   ${safe(element ? elementText(element, part) : linkText(part))}`)
  return [`${spaced(name)}:`, ...lines]
}

const blockLines = (name: string, { form, shown }: Field, value: unknown): readonly string[] => {
  if (form.type === 'free') return [`${name}:`, JSON.stringify(value ?? {}, null, 2)]
  return value || shown === 'always' ? [`${name}:`, textOf(value).trimEnd()] : []
}

export const resourceText = (declared: ResourceText, resource: Values): string => {
  const fields = Object.entries(declared.fields)
  const isBlock = ([name, { form }]: (typeof fields)[number]): boolean =>
    form.type === 'free' || (declared.blocks ?? []).includes(name)
  return [
    details(
      [...declared.details, ...unmentioned(declared)],
      cellsOf({ ...resource, ...declared.derived?.(resource) }, {})
    ),
    ...fields.flatMap(([name, field]) => sectionLines(name, field, resource[name])),
    ...fields.filter(isBlock).flatMap(([name, field]) => blockLines(name, field, resource[name]))
  ].join('\n')
}
