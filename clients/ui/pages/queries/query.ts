import { textIn, textOf, type Fields, resourcePage } from '../../resources/kind.js'

const GENERATED = ['ID', 'CreateIndex', 'ModifyIndex', 'RaftIndex']

/** Returns a value without its empty fields, which equal absent ones; undefined if nothing is left. */
const withoutEmpty = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value
  if (typeof value !== 'object' || value === null) return value || undefined
  const left = Object.entries(value).flatMap(([name, field]) => {
    const kept = withoutEmpty(field)
    return kept === undefined ? [] : [[name, kept] as const]
  })
  return left.length === 0 ? undefined : Object.fromEntries(left)
}

/** Returns the writable fields of a query as JSON. */
export const definitionOf = (query: Fields): string => {
  const writable = Object.entries(query).filter(([name]) => !GENERATED.includes(name))
  return JSON.stringify(withoutEmpty(Object.fromEntries(writable)) ?? {}, undefined, 2)
}

export const NEW_DEFINITION = JSON.stringify(
  { Name: '', Service: { Service: '', OnlyPassing: true }, DNS: { TTL: '' } },
  undefined,
  2
)

export const isTemplate = ({ Template }: Fields): boolean => textIn(Template, 'Type') !== ''

/** Returns the name, or the ID without one. */
export const calledBy = ({ Name, ID }: Fields): string => textOf(Name) || textOf(ID)

export const queryPath = (name: string, action = ''): string =>
  `/v1/query/${encodeURIComponent(name)}${action}`

export const queryAddress = (id: string): string => resourcePage('queries', { key: id })
