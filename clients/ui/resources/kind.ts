import type { Query } from '../../typescript/connection.js'
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { bytesOf, textInBase64, hexOf } from './base64.js'
import type { Schemas } from '../../typescript/typed/index.js'

export type Fields = Readonly<Record<string, unknown>>

/** The title and layout of a column. */
export interface ColumnHead {
  readonly title: string
  /** A CSS grid track; `minmax(0, 1fr)` when absent. */
  readonly width?: string
  /** Hides the column on narrow screens. */
  readonly isWide?: boolean
  /** The first line of a card, into which a row turns on narrow screens; the first column when absent. */
  readonly isTitle?: boolean
}

export interface Column<T = Fields> extends ColumnHead {
  /** @param fact the data of `facts` about the resource */
  readonly text: (row: T, fact?: string) => string
  /** The page that a cell links to. */
  readonly link?: (row: T) => string
  /** The sort key of a text, if it differs. */
  readonly order?: (text: string) => string
}

interface ApiList {
  readonly path: string
  readonly query?: Query
  /** Selects the events that follow the list. Without it, the stream sends a snapshot. */
  readonly changes?: string
  /** Detects resources that are not in the list any more. */
  readonly isGone?: (fields: Fields) => boolean
}

export interface Kind {
  /** The segment in the addresses of its pages. */
  readonly path: string
  /** The plural: `Policies`. */
  readonly title: string
  /** The singular: `policy`. */
  readonly one: string
  /** The key that opens the list, after `g`. */
  readonly key: string
  readonly topic: string
  /** What the resources are for, in a sentence that an empty list shows. */
  readonly about: string
  readonly columns: readonly Column[]
  /** The resource of the permissions that reading and writing one require, such as `acl`. */
  readonly resource: string
  /** The list in the API. It replaces a stream that the token may not follow. */
  readonly list?: ApiList
  /** Path of a GET that returns data without events, such as the last use of a token, by resource key. */
  readonly facts?: string
  /** Filters the list. @param fact the data of `facts` @param scope the selected part of the list */
  readonly isIn?: (scope: string, fact: string | undefined) => boolean
}

export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns a field of a value that may be no object. */
export const fieldIn = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

/** Returns the items of a value that may be no list. */
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const textIn = (value: unknown, name: string): string => textOf(fieldIn(value, name))

/** A column with the text of a field. @param name of the field, if it differs from the title */
export const field = (title: string, name = title): Column => ({
  title,
  text: fields => textOf(fields[name])
})

/** Follows the other columns of a list of all namespaces. */
export const NAMESPACE: Column = {
  title: 'Namespace',
  text: ({ Namespace }) => textOf(Namespace) || 'default',
  width: '7rem',
  isWide: true
}

/** Kinds of access control require `acl`. @param names plural and singular @param keys of the address, of the keyboard, and of the stream */
export const kindOf = (
  [title, one]: readonly [string, string],
  [path, key, topic]: readonly [string, string, string],
  about: string,
  columns: readonly Column[],
  further: Partial<Kind> = {}
): Kind => ({
  path,
  title,
  one,
  key,
  topic,
  about,
  columns,
  resource: 'acl',
  ...(topic.startsWith('ACL') ? { list: { path: `/v1/acl/${path}` } } : {}),
  ...further
})

/** A column with the names of linked resources. */
export const names = (title: string, name = title): Column => ({
  title,
  text: fields => {
    const list: unknown = fields[name]
    if (!Array.isArray(list)) return ''
    return list.map(link => textIn(link, 'Name') || textIn(link, 'ServiceName')).join(', ')
  }
})

export const fieldsOf = (payload: StreamedEvent['Payload']): Fields => Object(Object.values(payload)[0])

/** Returns the node of a service or check; undefined when the token has no permission to read the node. */
export const nodeOf = ({ Topic, Payload }: StreamedEvent): string | undefined => {
  const { Node } = fieldsOf(Payload)
  const isOnNode = Topic === 'Service' || Topic === 'Check'
  return isOnNode && typeof Node === 'string' && Node !== '' ? Node : undefined
}

/** Returns the key of a resource of the API. */
export const keyOf = (resource: object): string => {
  const { AccessorID, ID, Name, Key }: Fields = Object(resource)
  return textOf(AccessorID ?? ID ?? Name ?? Key)
}

/** Returns a resource of the API as an event of its topic. */
export const eventOf = (topic: string, fields: Fields): StreamedEvent => ({
  Topic: topic,
  Type: `${topic}Upserted`,
  Key: keyOf(fields),
  Namespace: textOf(fields['Namespace']),
  Partition: textOf(fields['Partition']),
  FilterKeys: null,
  Index: 0,
  Payload: { [topic]: fields }
})

/** Returns an address with parameters, without those that are empty. */
export const addressOfPage = (path: string, query: Readonly<Record<string, string | undefined>>): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value)
  return parameters.size === 0 ? path : `${path}?${parameters}`
}

/** Returns the address of the page of a resource. @param path of its kind */
export const resourcePage = (
  path: string,
  named: { readonly key: string; readonly [name: string]: string | undefined }
): string => addressOfPage(`/ui/${path}/one`, named)

/** Returns the address of the page of an event's resource. */
export const addressOf = (kind: Kind, event: StreamedEvent): string => {
  const { Key, Namespace, Partition = '' } = event
  return resourcePage(kind.path, { key: Key, ns: Namespace, partition: Partition, node: nodeOf(event) })
}

export const titleOf = ({ columns }: Kind, payload: StreamedEvent['Payload']): string =>
  columns[0]?.text(fieldsOf(payload)) ?? ''

const ENDS = /(?:Deleted?|Deregistration|Destroyed|Invalidated|ProposalPromoted)$/

export const isDeletion = ({ Type }: { readonly Type: string }): boolean => ENDS.test(Type)

/** Identifies a resource among all others. Services and checks of different nodes may share a key. */
export const identityOf = ({ Partition = '', Namespace, Key, FilterKeys, Topic }: StreamedEvent): string => {
  const node = Topic === 'Service' || Topic === 'Check' ? (FilterKeys ?? []) : []
  return JSON.stringify([Topic, Partition, Namespace, Key, ...node])
}

export type Version = Schemas['Version']

export const versionViewFor = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Decodes the value of a key: text, or hexadecimal digits if it is binary. */
const readableValue = (base64: unknown): string =>
  typeof base64 === 'string' ? (textInBase64(base64) ?? hexOf(bytesOf(base64))) : ''

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ')

const entryOf = (name: string, value: unknown): string => {
  if (isList(value) && value.length > 0) return `${name}:\n${indented(value.map(itemOf).join('\n'))}`
  if (isGroup(value) && Object.keys(value).length > 0) return `${name}:\n${indented(textOfFields(value))}`
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.includes('\n') ? `${name}:\n${indented(text)}` : `${name}: ${text}`
}

const itemOf = (value: unknown): string =>
  isGroup(value) ? `- ${indented(textOfFields(value)).slice(2)}` : `- ${String(value)}`

const textOfFields = (fields: object): string =>
  Object.entries(fields)
    .map(([name, value]) => entryOf(name, value))
    .join('\n')

/** Fields that are derived, or change with each write. */
export const DERIVED: ReadonlySet<string> = new Set(['CreateIndex', 'ModifyIndex', 'Hash', 'RaftIndex'])

/** Formats the resource of an event. @param payload `{ KV: … }` */
export const readable = (payload: Readonly<Record<string, unknown>> = {}): string => {
  const [entry] = Object.entries(payload)
  if (!entry) return ''
  const [kind, resource] = entry
  const fields = Object.entries(Object(resource)).filter(([name]) => !DERIVED.has(name))
  return textOfFields(
    Object.fromEntries(
      fields.map(([name, value]) => [name, kind === 'KV' && name === 'Value' ? readableValue(value) : value])
    )
  )
}

/** Formats the content of a version; empty before the first version and after a deletion. */
export const readableVersion = (version: Version | undefined): string =>
  version === undefined || isDeletion(version) ? '' : readable(version.Payload)
