// What a route answers with, before the headers that every answer bears.

import type { ServerResponse } from 'node:http'
import { stringify } from 'lossless-json'
import type { Commit } from '../../events/envelope.js'
import type { BytePieces } from '../../projections/byte-pieces.js'

export const JSON_TYPE = 'application/json'
/** JSON Patch (RFC 6902). */
export const JSON_PATCH_TYPE = 'application/json-patch+json'
export const TEXT_TYPE = 'text/plain; charset=utf-8'

export type Body = string | Buffer | BytePieces

export interface RouteResponse {
  readonly status: number
  readonly body: Body
  /** Empty where there is no body to speak of. */
  readonly type: string
  /** Further headers: names and values in turn, names in the `X-Service-` family where there are two. */
  readonly headers: readonly string[]
  /** What a read reflects; its answer bears this index, and says that it is the leader's of just now. */
  readonly index?: number | bigint
  /** For a body without end: called once the headers are written, and writes and ends the response itself. */
  readonly stream?: (response: ServerResponse) => void
}

const NO_HEADERS: readonly string[] = []

/** 200 with JSON that is serialised already. */
export const jsonText = (body: Body, headers: readonly string[] = NO_HEADERS): RouteResponse => ({
  status: 200,
  body,
  type: JSON_TYPE,
  headers
})

/** 200 with a value as JSON. */
export const json = (value: unknown, headers?: readonly string[]): RouteResponse =>
  jsonText(JSON.stringify(value), headers)

/** JSON of a value that may contain bigints, which are written as numbers. */
export const exactJson = (value: unknown, headers?: readonly string[]): RouteResponse =>
  jsonText(stringify(value) ?? 'null', headers)

/** Plain text: an error, or what is not JSON by nature. */
export const plain = (
  status: number,
  body: string,
  headers: readonly string[] = NO_HEADERS
): RouteResponse => ({
  status,
  body,
  type: TEXT_TYPE,
  headers
})

/** No body. */
export const empty = (status: number, headers: readonly string[] = NO_HEADERS): RouteResponse => ({
  status,
  body: '',
  type: '',
  headers
})

/** The answer to a write with the index of its commit. */
export const withCommit = (
  { status, body, type, headers }: RouteResponse,
  commit: Commit | undefined
): RouteResponse => {
  const index = commit ? ['X-Service-Index', String(commit.Index)] : []
  return { status, body, type, headers: headers.length > 0 ? [...headers, ...index] : index }
}
