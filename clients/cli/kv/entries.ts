import { parseExact } from '../../exact-json.js'
import { hasStatus } from '../console.js'
import type { Run } from '../remote/command.js'
import type { Query } from '../../typescript/connection.js'

export interface Entry {
  readonly Key: string
  /** Base64; null if empty. */
  readonly Value: string | null
  /** Unsigned 64 bits. */
  readonly Flags: bigint | number
  readonly LockIndex: number
  readonly Session?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

type Get = Run['get']

/** Keys of a page. */
const PAGE = 1000

export const pathOf = (key: string): string => `/v1/kv/${encodeURIComponent(key)}`

/** Removes leading slashes, which paths have and keys do not. */
export const keyOf = (input: string): string => input.replace(/^\/+/, '')

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && 'Key' in value && 'Flags' in value

export const entriesIn = (text: string): readonly Entry[] => {
  const value = parseExact(text)
  return Array.isArray(value) ? value.filter(isEntry) : []
}

/** @throws RequestRefused if the key does not exist */
export const entryOf = async (get: Get, key: string): Promise<Entry | undefined> =>
  entriesIn(await (await get(pathOf(key))).text())[0]

interface Listed<Element> {
  readonly get: Get
  readonly prefix: string
  readonly query: Query
  readonly elementsOf: (text: string) => readonly Element[]
  readonly nameOf: (element: Element) => string
}

/** Each page is a consistent state, but changes may occur between two pages. */
async function* pagesBelow<Element>(list: Listed<Element>): AsyncGenerator<readonly Element[]> {
  const { get, prefix, query, elementsOf, nameOf } = list
  for (let after: string | undefined; ;) {
    const answer = await get(pathOf(prefix), { ...query, limit: PAGE, after })
    const page = elementsOf(await answer.text())
    const last = page.at(-1)
    // A server without paging has returned everything.
    if (last === undefined || (after !== undefined && nameOf(last) <= after)) return
    yield page
    if (page.length !== PAGE) return
    after = nameOf(last)
  }
}

/** @throws RequestRefused with status 404 if no key has the prefix */
async function* below<Element>(list: Listed<Element>): AsyncGenerator<Element> {
  let isFirst = true
  try {
    for await (const page of pagesBelow(list)) {
      isFirst = false
      yield* page
    }
  } catch (error) {
    if (isFirst || !hasStatus(error, 404)) throw error
  }
}

/** @throws RequestRefused with status 404 if no key has the prefix */
export const entriesBelow = (get: Get, prefix: string): AsyncGenerator<Entry> =>
  below({ get, prefix, query: { recurse: true }, elementsOf: entriesIn, nameOf: ({ Key }) => Key })

const keysIn = (text: string): readonly string[] => {
  const value: unknown = JSON.parse(text)
  return Array.isArray(value) ? value.filter(key => typeof key === 'string') : []
}

/** Yields the names of the keys, cut after the first separator that follows the prefix. */
export const keysBelow = (get: Get, prefix: string, separator: string | undefined): AsyncGenerator<string> =>
  below({ get, prefix, query: { keys: true, separator }, elementsOf: keysIn, nameOf: key => key })

/** Decodes printable text. Returns the input for other bytes and for other types. */
export const textOfValue = (base64: unknown): unknown => {
  if (typeof base64 !== 'string') return base64
  const text = Buffer.from(base64, 'base64').toString()
  return /[\uFFFD\p{Cc}]/u.test(text.replaceAll('\n', '')) ? base64 : text
}
