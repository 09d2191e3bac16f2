// A resource as one server shows it, with the fields that another server accepts.

/** Something with a name of its own among its kind. */
export interface Resource {
  readonly name: string
  /** What is written: nothing in it is made by a server. */
  readonly body: Readonly<Record<string, unknown>>
  /** How the server that shows it calls it, where that is not its name. */
  readonly id?: string
  /** Why it cannot be imported. */
  readonly cannot?: string
  /** It is there on every server, and here as it was made: writing it overwrites nothing. */
  readonly isAsMade?: true
}

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

/** What somebody has said of a resource. */
export const givenIn = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !MADE.has(name)))

/** Links by name: IDs are other ones on another server. */
export const linksIn = (value: unknown): readonly { readonly Name: string }[] =>
  Array.isArray(value)
    ? value.map((link: Readonly<Record<string, unknown>>) => ({ Name: textIn(link, 'Name') }))
    : []

export const textIn = (row: Row, name: string): string => {
  const value = row[name]
  return typeof value === 'string' ? value : ''
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** The value without empty fields, and with its fields in alphabetical order. */
export const essence = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(essence)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([name, inner]): readonly [string, unknown] => [name, essence(inner)])
    .filter(([, inner]) => !isEmpty(inner))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
}

/** Whether two resources say the same. */
export const isSame = (one: Resource, other: Resource): boolean =>
  JSON.stringify(essence(one.body)) === JSON.stringify(essence(other.body))

/** In place of a secret that the token may not see. */
const HIDDEN = '"<hidden>"'

/** Why a resource with a secret in it cannot be imported; undefined when all of it is shown. */
export const whyHidden = (body: Row): string | undefined =>
  JSON.stringify(essence(body)).includes(HIDDEN)
    ? 'a secret of it is not shown to this token, which lacks acl:write'
    : undefined
