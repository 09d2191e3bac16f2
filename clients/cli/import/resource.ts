// A resource of one server with the fields that another server accepts.
import { HIDDEN, isEmptyValue } from '../../../events/values.js'

export interface Resource {
  readonly name: string
  /** Without generated fields. */
  readonly body: Readonly<Record<string, unknown>>
  /** The ID on the server that was read, if it is not the name. */
  readonly id?: string
  /** The reason why it cannot be imported. */
  readonly cannot?: string
  /** Every server creates it, and it is unchanged. */
  readonly isAsMade?: true
}

/** A resource that the server refuses to show. */
export const refused = (name: string, { message }: Error): Resource => ({
  name,
  body: {},
  cannot: `cannot be read: ${message}`
})

export type Row = Readonly<Record<string, unknown>>

/** Fields that each server generates, and those that the request states elsewhere. */
const MADE: ReadonlySet<string> = new Set([
  'ID',
  'Hash',
  'CreateIndex',
  'ModifyIndex',
  'CreateTime',
  'LastUsed',
  'RaftIndex',
  'Namespace',
  'Partition',
  'Datacenter',
  'Legacy',
  'Status'
])

export const writableIn = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !MADE.has(name)))

/** Links by name, since IDs differ between servers. */
export const linksIn = (value: unknown): readonly { readonly Name: string }[] =>
  Array.isArray(value) ? value.map((link: Row) => ({ Name: textIn(link, 'Name') })) : []

export const textIn = (row: Row, name: string): string => {
  const value = row[name]
  return typeof value === 'string' ? value : ''
}

/** Servers create the policies `global-management` and `builtin/…` themselves. */
export const isBuiltIn = (row: Row): boolean =>
  /^00000000-0000-0000-0000-0000000000\d\d$/.test(textIn(row, 'ID'))

/** Removes empty fields and sorts the others by name. */
export const essence = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(essence)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, inner]): readonly [string, unknown] => [name, essence(inner)])
    .filter(([, inner]) => !isEmptyValue(inner))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
}

export const isSame = (one: Resource, other: Resource): boolean =>
  JSON.stringify(essence(one.body)) === JSON.stringify(essence(other.body))

/** Returns the reason why a resource with a hidden secret cannot be imported. */
export const whyHidden = (body: Row): string | undefined =>
  JSON.stringify(essence(body)).includes(JSON.stringify(HIDDEN))
    ? 'a secret of it is not shown to this token, which lacks acl:write'
    : undefined
