// Fields that entries of several kinds have (spec: config.md §3, §4).
import { list, mapOf, flag, integer, lowerText, text } from './fields/scalars.js'
import { decoder, type Decoder } from './fields/decoder.js'
import {
  always,
  ignoredKey,
  object,
  storedIfFilled,
  type DecodedFields,
  type Field,
  type Fields
} from './fields/object.js'

/** The value of a decoder. */
export type Decoded<D> = D extends Decoder<infer Value> ? Value : never

/** Fields of every stored entry. */
export interface StoredFields {
  /** Left out in the namespace `default` (tenancy.md §8). */
  readonly Namespace?: string
  /** Left out in the partition `default`. */
  readonly Partition?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

export const meta = storedIfFilled(mapOf(text, ''))

/** Accepted in every body and ignored: the tenancy is the request's, and the server sets indexes. */
export const serviceFields = {
  Namespace: ignoredKey(text),
  Partition: ignoredKey(text),
  CreateIndex: ignoredKey(integer),
  ModifyIndex: ignoredKey(integer)
}

type BodyFields<F extends Fields> = {
  readonly Name: Field<string, 'always'>
  readonly Meta: typeof meta
} & F &
  typeof serviceFields

/** The body of an entry of any kind, with the fields of its kind (spec: config.md §3, §4). Its schemas lack `Kind`. */
export const entryBody = <const Kind extends string, const F extends Fields>(
  Kind: Kind,
  fields: F
): Decoder<{ readonly Kind: Kind } & DecodedFields<BodyFields<F>>> => {
  const all: BodyFields<F> = { Name: always(text, ''), ...fields, Meta: meta, ...serviceFields }
  const body = object(all)
  return decoder(body.schemas, (given, path, spelling) => ({ Kind, ...body(given, path, spelling) }))
}

/** The tenancy of a part of an entry, in lower case. */
export const partTenancy = { Namespace: storedIfFilled(lowerText), Partition: storedIfFilled(lowerText) }

/** A condition on a header of a request: exactly one of Present, Exact, Prefix, Suffix and Regex. */
const header = object({
  Name: always(text, ''),
  Present: storedIfFilled(flag),
  Exact: storedIfFilled(text),
  Prefix: storedIfFilled(text),
  Suffix: storedIfFilled(text),
  Regex: storedIfFilled(text),
  Invert: storedIfFilled(flag)
})

const method = decoder(text.schemas, (given, path) => text(given, path).toUpperCase())

export const pathFields = {
  PathExact: storedIfFilled(text),
  PathPrefix: storedIfFilled(text),
  PathRegex: storedIfFilled(text)
}
export const headerField = storedIfFilled(list(header, {}))
export const methodsField = storedIfFilled(list(method, ''))

export type HeaderMatch = Decoded<typeof header>

/** `Mode` is free text; `none`, `local` and `remote` have a meaning. */
const gatewayMode = object({ Mode: storedIfFilled(text) })
export type MeshGateway = Decoded<typeof gatewayMode>
export const meshGateway = always(gatewayMode, {})
