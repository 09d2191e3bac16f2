import { textIn, textOf, type Fields, resourcePage } from '../../resources/kind.js'

const GENERATED = ['ID', 'CreateIndex', 'ModifyIndex', 'RaftIndex']

/** Returns the writable fields of a query as JSON. */
export const definitionOf = (query: Fields): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(query).filter(([name]) => !GENERATED.includes(name))),
    undefined,
    2
  )

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

export const queryAddress = (id: string): string =>
  resourcePage('queries', { key: id, ns: '', partition: '' })
