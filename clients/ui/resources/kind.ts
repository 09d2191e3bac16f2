// A kind of things that are shown: what the event stream calls it, and what of its things stands in a list.
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { bytesOf, textInBase64 } from './base64.js'

/** A thing as the stream shows it. */
export type Fields = Readonly<Record<string, unknown>>

export interface Column {
  readonly title: string
  /** @param fact what no event tells of the thing */
  readonly text: (fields: Fields, id?: string, fact?: string) => string
  /** A track of a grid; as the others when absent. */
  readonly width?: string
  /** Whether it is only shown where there is room. */
  readonly isWide?: boolean
}

export interface Kind {
  /** In addresses of pages. */
  readonly path: string
  /** All of them: `Policies`. */
  readonly title: string
  /** What one of them is: `policy`. */
  readonly one: string
  /** The key that leads there, after `g`. */
  readonly key: string
  readonly topic: string
  readonly columns: readonly Column[]
  /** Path of the API that tells of things, by their keys, what no event tells. */
  readonly facts?: string
  /** Whether a thing is listed, by that. @param scope what of the list is looked at */
  readonly isIn?: (scope: string, fact: string | undefined) => boolean
}

export const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What a field holds. @param name of the field, where its column is called otherwise */
export const field = (title: string, name = title): Column => ({
  title,
  text: fields => textOf(fields[name])
})

/** Names of what is linked. */
export const names = (title: string, name = title): Column => ({
  title,
  text: fields => {
    const list: unknown = fields[name]
    if (!Array.isArray(list)) return ''
    return list
      .map(each => textOf(Reflect.get(Object(each), 'Name') ?? Reflect.get(Object(each), 'ServiceName')))
      .join(', ')
  }
})

/** What a key holds, if it is text. */
export const decoded = (value: unknown): string => {
  if (typeof value !== 'string') return ''
  return textInBase64(value) ?? `${bytesOf(value).length} bytes`
}

/** What a payload says of its thing. */
export const fieldsOf = (payload: StreamedEvent['Payload']): Fields => Object(Object.values(payload)[0])

/** The node that tells a service or check from those of the same key on others; undefined where the token may not read the node. */
export const nodeOf = ({ Topic, Payload }: StreamedEvent): string | undefined => {
  const { Node } = fieldsOf(Payload)
  const isOnNode = Topic === 'Service' || Topic === 'Check'
  return isOnNode && typeof Node === 'string' && Node !== '' ? Node : undefined
}

/** The page of the thing that an event is about. */
export const addressOf = (kind: Kind, event: StreamedEvent): string => {
  const { Key, Namespace, Partition = '' } = event
  const node = nodeOf(event)
  const named = { key: Key, ns: Namespace, partition: Partition, ...(node === undefined ? {} : { node }) }
  return `/ui/${kind.path}/one?${new URLSearchParams(named)}`
}

/** What a thing of a kind is called. */
export const titleOf = ({ columns }: Kind, payload: StreamedEvent['Payload']): string =>
  columns[0]?.text(fieldsOf(payload)) ?? ''
