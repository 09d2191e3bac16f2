// Entries of KV as the server answers them, in pages.
import { parse } from 'lossless-json'
import type { Run } from '../remote/command.js'
import type { Query } from '../../typescript/connection.js'

export interface Entry {
  readonly Key: string
  /** Base64; null when it is empty. */
  readonly Value: string | null
  /** A whole number below 2^64. */
  readonly Flags: bigint | number
  readonly LockIndex: number
  readonly Session?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

type Get = Run<unknown, unknown>['get']

/** Of a page: an answer is bounded, and what is printed need not be held. */
const PAGE = 1000

export const pathOf = (key: string): string => `/v1/kv/${encodeURIComponent(key)}`

/** A leading slash is how folders of files are written, not keys. */
export const keyOf = (given: string): string => given.replace(/^\/+/, '')

/** Integers beyond 2^53 as bigints; every other number, fractions included, as servers in Go read it: a double. */
const parseNumber = (digits: string): number | bigint => {
  const number = Number(digits)
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(digits) ? number : BigInt(digits)
}

/** Parses JSON without rounding its integers. @throws SyntaxError */
export const exactJson = (text: string): unknown => parse(text, undefined, parseNumber)

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && 'Key' in value && 'Flags' in value

/** The entries in an answer. */
export const entriesIn = (text: string): readonly Entry[] => {
  const value = exactJson(text)
  return Array.isArray(value) ? value.filter(isEntry) : []
}

/** One entry. @throws RequestRefused when there is none */
export const entryOf = async (get: Get, key: string): Promise<Entry | undefined> =>
  entriesIn(await (await get(pathOf(key))).text())[0]

interface Listed<Element> {
  readonly get: Get
  readonly prefix: string
  readonly query: Query
  readonly elementsOf: (text: string) => readonly Element[]
  readonly nameOf: (element: Element) => string
}

/** Pages of what a prefix has below it. A page is of one moment; two of them need not be. */
async function* pagesBelow<Element>(list: Listed<Element>): AsyncGenerator<readonly Element[]> {
  const { get, prefix, query, elementsOf, nameOf } = list
  for (let after: string | undefined; ;) {
    const answer = await get(pathOf(prefix), { ...query, limit: PAGE, after })
    const page = elementsOf(await answer.text())
    const last = page.at(-1)
    // A server that knows no pages has answered with all there is.
    if (last === undefined || (after !== undefined && nameOf(last) <= after)) return
    yield page
    if (page.length !== PAGE) return
    after = nameOf(last)
  }
}

const isNothingLeft = (error: unknown): boolean =>
  error instanceof Error && 'status' in error && error.status === 404

/** Pages as one stream. @throws RequestRefused with status 404 when there is nothing at all */
async function* below<Element>(list: Listed<Element>): AsyncGenerator<Element> {
  let isFirst = true
  try {
    for await (const page of pagesBelow(list)) {
      isFirst = false
      yield* page
    }
  } catch (error) {
    if (isFirst || !isNothingLeft(error)) throw error
  }
}

/** All entries whose keys begin with a prefix. @throws RequestRefused with status 404 when there is none */
export const entriesBelow = (get: Get, prefix: string): AsyncGenerator<Entry> =>
  below({ get, prefix, query: { recurse: true }, elementsOf: entriesIn, nameOf: ({ Key }) => Key })

const keysIn = (text: string): readonly string[] => {
  const value: unknown = JSON.parse(text)
  return Array.isArray(value) ? value.filter(key => typeof key === 'string') : []
}

/** The names of those keys, cut after the first separator behind the prefix if there is one. */
export const keysBelow = (get: Get, prefix: string, separator: string | undefined): AsyncGenerator<string> =>
  below({ get, prefix, query: { keys: true, separator }, elementsOf: keysIn, nameOf: key => key })

/** A text that people can read; what was given for other bytes, and for what is no text. */
export const textOfValue = (base64: unknown): unknown => {
  if (typeof base64 !== 'string') return base64
  const text = Buffer.from(base64, 'base64').toString()
  return /[\uFFFD\p{Cc}]/u.test(text.replaceAll('\n', '')) ? base64 : text
}
