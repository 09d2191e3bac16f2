import type { Schemas } from '../../typescript/typed/index.js'
import type { StreamedEvent } from '../../typescript/stream-line.js'
import { bytesOf, hexOf, textInBase64 } from './base64.js'

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
