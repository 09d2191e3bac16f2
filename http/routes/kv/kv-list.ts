// Lists of KV entries and of key names, in pages if asked for (spec: state.md §4).
import { invalid, Refusal } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { After } from '../../../projections/kv/key-tree.js'
import type { KvRow } from '../../../projections/kv/kv-row.js'
import { kvWatchKey } from '../../../projections/kv/kv.js'
import type { WatchKey } from '../../../projections/watch.js'
import type { ApiRequest } from '../../wire/request.js'
import { withNamespace } from '../../wire/shown-namespace.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

/** The longest answer in characters; more is to be asked for in pages. */
const LONGEST_ANSWER = 256 * 1024 * 1024

/** What a list found. */
export interface KvList {
  /** JSON texts of its elements. */
  readonly elements: readonly string[]
  readonly index: number
  readonly watch: readonly WatchKey[]
  /** Whether something was kept back for lack of rights. */
  readonly isFiltered: boolean
}

interface Page {
  readonly after: string | undefined
  readonly limit: number
}

/** @throws Refusal `invalid` */
const pageOf = ({ query }: ApiRequest): Page => {
  const limit = query.filled('limit')
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    throw invalid(`Invalid limit "${limit}": it must be a whole number from 1 to 999999999`)
  return { after: query.filled('after'), limit: limit === undefined ? Infinity : Number(limit) }
}

/** Where the elements of a list are put, as long as there is room. */
class Elements {
  readonly texts: string[] = []
  isFiltered = false
  readonly #limit: number
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get isFull(): boolean {
    return this.texts.length >= this.#limit
  }

  /** @throws Refusal `too-large` */
  add(text: string): void {
    this.#length += text.length
    if (this.#length > LONGEST_ANSWER)
      throw new Refusal(
        'too-large',
        `The answer is longer than ${LONGEST_ANSWER} bytes: ask for it in pages, with limit and after`
      )
    this.texts.push(text)
  }
}

/** Puts the elements of one tenancy into the list. */
type Collect = (request: ApiRequest, tenancy: Tenancy, prefix: string, page: Page, into: Elements) => void

const firstAfter = ({ after }: Page): After | undefined =>
  after === undefined ? undefined : { key: after, withSubtree: false }

const mayRead = (request: ApiRequest, row: KvRow): boolean => request.may('key', 'read', row.key, row.tenancy)

const collectEntries: Collect = (request, tenancy, prefix, page, into) => {
  const isEverywhere = request.tenancy.namespace === ALL_NAMESPACES
  for (const row of request.views.kv.walk(tenancy, prefix, firstAfter(page))) {
    if (into.isFull) return
    if (!mayRead(request, row)) into.isFiltered = true
    else into.add(isEverywhere ? withNamespace(row.json, row.tenancy) : row.json)
  }
}

const collectKeys: Collect = (request, tenancy, prefix, page, into) => {
  for (const row of request.views.kv.walk(tenancy, prefix, firstAfter(page))) {
    if (into.isFull) return
    if (!mayRead(request, row)) into.isFiltered = true
    else into.add(JSON.stringify(row.key))
  }
}

/** Keys cut after the first separator behind the prefix. What a cut name covers is stepped over, not walked. */
const collectCut =
  (separator: string): Collect =>
  (request, tenancy, prefix, page, into) => {
    const { kv } = request.views
    const isCut = (name: string): boolean => name.slice(prefix.length).endsWith(separator)
    let after = firstAfter(page)
    if (after && after.key.startsWith(prefix) && isCut(after.key)) after = { ...after, withSubtree: true }
    for (;;) {
      if (into.isFull) return
      let jump: string | undefined
      for (const row of kv.walk(tenancy, prefix, after)) {
        if (into.isFull) return
        if (!mayRead(request, row)) {
          into.isFiltered = true
          continue
        }
        const at = row.key.indexOf(separator, prefix.length)
        const name = at < 0 ? row.key : row.key.slice(0, at + separator.length)
        into.add(JSON.stringify(name))
        if (at >= 0) {
          jump = name
          break
        }
      }
      if (jump === undefined) return
      after = { key: jump, withSubtree: true }
    }
  }

/** Cost: the elements found, and those kept back. @throws Refusal */
const list = (request: ApiRequest, prefix: string, collect: Collect): KvList => {
  const { tenancy, views, settings } = request
  const { kv } = views
  const page = pageOf(request)
  if (settings.acl.enable_key_list_policy) request.require('key', 'list', prefix)
  const into = new Elements(page.limit)
  const { partition, namespace } = tenancy
  if (namespace !== ALL_NAMESPACES) {
    collect(request, tenancy, prefix, page, into)
    return {
      elements: into.texts,
      isFiltered: into.isFiltered,
      index: kv.indexUnder(tenancy, prefix),
      watch: [{ prefix: kvWatchKey(tenancy, prefix) }]
    }
  }
  const spaces = kv.namespaces(partition).map(name => ({ partition, namespace: name }))
  for (const space of spaces) collect(request, space, prefix, page, into)
  return {
    elements: into.texts,
    isFiltered: into.isFiltered,
    index: Math.max(0, ...spaces.map(space => kv.indexUnder(space, prefix))),
    watch: [{ prefix: `kv/${partition}/` }]
  }
}

/** The entries below a prefix, whole. */
export const listEntries = (request: ApiRequest, prefix: string): KvList =>
  list(request, prefix, collectEntries)

/** The names of the keys below a prefix, cut after a separator if one is given. */
export const listKeys = (request: ApiRequest, prefix: string): KvList => {
  const separator = request.query.filled('separator') ?? request.query.filled('seperator')
  return list(request, prefix, separator === undefined ? collectKeys : collectCut(separator))
}
