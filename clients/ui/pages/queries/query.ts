// A prepared query as the server shows it, and what of it people write.
import { parseExact } from '../../session/exact-json.js'
import { textOf, type Fields } from '../../resources/kind.js'

/** Of what the server shows that which it makes itself. */
const MADE = ['ID', 'CreateIndex', 'ModifyIndex', 'RaftIndex']

/** What is written of a query, as JSON. */
export const definitionOf = (query: Fields): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(query).filter(([name]) => !MADE.includes(name))),
    undefined,
    2
  )

/** A definition as it is sent. @throws SyntaxError */
export const bodyOf = (definition: string): unknown => parseExact(definition)

export const NEW_DEFINITION = JSON.stringify(
  { Name: '', Service: { Service: '', OnlyPassing: true }, DNS: { TTL: '' } },
  undefined,
  2
)

export const isTemplate = ({ Template }: Fields): boolean =>
  textOf(Reflect.get(Object(Template), 'Type')) !== ''

/** What it is run by: its name, or its ID where it has none. */
export const calledBy = ({ Name, ID }: Fields): string => textOf(Name) || textOf(ID)

export const queryPath = (name: string, action = ''): string =>
  `/v1/query/${encodeURIComponent(name)}${action}`

export const queryAddress = (id: string): string =>
  `/ui/queries/one?${new URLSearchParams({ key: id, ns: '', partition: '' })}`
