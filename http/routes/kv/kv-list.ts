// Lists of KV entries and of key names, optionally in pages (spec: state.md §4).
import { Refusal } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { WalkStart } from '../../../projections/radix-tree.js'
import type { KvRow } from '../../../projections/kv/kv-row.js'
import { type Kv, kvWatchKey } from '../../../projections/kv/kv.js'
import { byText } from '../../../projections/row-table.js'
import type { WatchKey } from '../../../projections/watch.js'
import { linkTo, pageOf, type Page } from '../../wire/reads/page.js'
import type { RequestContext } from '../../wire/request-context.js'
import { withNamespace } from '../../wire/namespace-view.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

/** The limit of an unpaginated response in characters. */
const LONGEST_ANSWER = 256 * 1024 * 1024

export interface KvList {
  /** JSON texts of its elements. */
  readonly elements: readonly string[]
  readonly index: number
  readonly watch: readonly WatchKey[]
  /** True if entries were left out for lack of permission. */
  readonly isFiltered: boolean
  /** The link to the next page, if there is one: names and values in turn. */
  readonly headers: readonly string[]
}

const ALL: Page = { limit: Infinity, after: undefined }

/** Collects the elements of a list up to a limit. */
class Elements {
  readonly texts: string[] = []
  isFiltered = false
  /** True if there are more elements than the limit. */
  hasMore = false
  /** The namespace of the last element, and its key or cut name. */
  last = { namespace: '', name: '' }
  #length = 0

  constructor(private readonly limit: number) {}

  /** Returns false at the limit. @throws Refusal `too-large` */
  add(text: string, namespace: string, name: string): boolean {
    this.hasMore = this.texts.length >= this.limit
    if (this.hasMore) return false
    this.last = { namespace, name }
    this.#length += text.length
    if (this.#length > LONGEST_ANSWER)
      throw new Refusal(
        'too-large',
        `The answer is longer than ${LONGEST_ANSWER} bytes: ask for it in pages, with limit and after`
      )
    this.texts.push(text)
    return true
  }
}

/** Adds the elements of one tenancy after a key or cut name. */
type Collect = (
  request: RequestContext,
  tenancy: Tenancy,
  prefix: string,
  after: string | undefined,
  into: Elements
) => void

const firstAfter = (after: string | undefined): WalkStart | undefined =>
  after === undefined ? undefined : { key: after, withSubtree: false }

const mayRead = (request: RequestContext, row: KvRow): boolean =>
  request.may('key', 'read', row.key, row.tenancy)

/** Returns the rows of one tenancy below a prefix and after a key, in order. */
type Rows = (kv: Kv, tenancy: Tenancy, prefix: string, after: string | undefined) => Iterable<KvRow>

const collectEntries =
  (rows: Rows): Collect =>
  (request, tenancy, prefix, after, into) => {
    const isEverywhere = request.tenancy.namespace === ALL_NAMESPACES
    for (const row of rows(request.views.kv, tenancy, prefix, after)) {
      const text = isEverywhere ? withNamespace(row.json, row.tenancy) : row.json
      if (!mayRead(request, row)) into.isFiltered = true
      else if (!into.add(text, tenancy.namespace, row.key)) return
    }
  }

const collectAll = collectEntries((kv, tenancy, prefix, after) => kv.walk(tenancy, prefix, firstAfter(after)))

const collectHeld = collectEntries((kv, tenancy, prefix, after) => {
  const held = kv.held(tenancy, prefix)
  return after === undefined ? held : held.filter(({ key }) => byText(key, after) > 0)
})

const collectKeys: Collect = (request, tenancy, prefix, after, into) => {
  for (const row of request.views.kv.walk(tenancy, prefix, firstAfter(after))) {
    if (!mayRead(request, row)) into.isFiltered = true
    else if (!into.add(JSON.stringify(row.key), tenancy.namespace, row.key)) return
  }
}

/** Adds keys cut after the first separator following the prefix. Skips the keys that a cut name covers. */
const collectCut =
  (separator: string): Collect =>
  (request, tenancy, prefix, last, into) => {
    const { kv } = request.views
    const isCut = (name: string): boolean => name.slice(prefix.length).endsWith(separator)
    let after = firstAfter(last)
    if (after && after.key.startsWith(prefix) && isCut(after.key)) after = { ...after, withSubtree: true }
    for (;;) {
      let jump: string | undefined
      for (const row of kv.walk(tenancy, prefix, after)) {
        if (!mayRead(request, row)) {
          into.isFiltered = true
          continue
        }
        const at = row.key.indexOf(separator, prefix.length)
        const name = at < 0 ? row.key : row.key.slice(0, at + separator.length)
        if (!into.add(JSON.stringify(name), tenancy.namespace, name)) return
        if (at >= 0) {
          jump = name
          break
        }
      }
      if (jump === undefined) return
      after = { key: jump, withSubtree: true }
    }
  }

/** Splits the cursor `namespace/key` of a list of all namespaces. */
const splitAfter = (after: string): { readonly namespace: string; readonly name: string } => {
  const slash = after.indexOf('/')
  return slash < 0
    ? { namespace: after, name: '' }
    : { namespace: after.slice(0, slash), name: after.slice(slash + 1) }
}

/** A namespace with the key or cut name before its first element. */
type Space = Tenancy & { readonly after: string | undefined }

/** Returns the namespaces that a page may include. */
const spacesOf = ({ views, tenancy }: RequestContext, { after }: Page): readonly Space[] => {
  const { partition, namespace } = tenancy
  if (namespace !== ALL_NAMESPACES) return [{ partition, namespace, after }]
  const from = after === undefined ? undefined : splitAfter(after)
  return views.kv
    .namespaces(partition)
    .filter(name => !from || name >= from.namespace)
    .map(name => ({
      partition,
      namespace: name,
      after: name === from?.namespace ? from.name || undefined : undefined
    }))
}

const nextLink = (request: RequestContext, { hasMore, last }: Elements): readonly string[] => {
  if (!hasMore) return []
  const isOfAll = request.tenancy.namespace === ALL_NAMESPACES
  const after = isOfAll ? `${last.namespace}/${last.name}` : last.name
  return ['Link', `${linkTo(request, { after })}; rel="next"`]
}

/** Cost: the elements found and those left out. @throws Refusal */
const list = (request: RequestContext, prefix: string, collect: Collect): KvList => {
  const { tenancy, views, settings } = request
  const { kv } = views
  const page = pageOf(request) ?? ALL
  if (settings.acl.enable_key_list_policy) request.require('key', 'list', prefix)
  const into = new Elements(page.limit)
  for (const space of spacesOf(request, page)) {
    collect(request, space, prefix, space.after, into)
    if (into.hasMore) break
  }
  const { partition, namespace } = tenancy
  const isOfAll = namespace === ALL_NAMESPACES
  const names = isOfAll ? kv.namespaces(partition) : [namespace]
  return {
    elements: into.texts,
    isFiltered: into.isFiltered,
    headers: nextLink(request, into),
    index: Math.max(0, ...names.map(name => kv.indexUnder({ partition, namespace: name }, prefix))),
    watch: [{ prefix: isOfAll ? `kv/${partition}/` : kvWatchKey(tenancy, prefix) }]
  }
}

export const listEntries = (request: RequestContext, prefix: string): KvList =>
  list(request, prefix, collectAll)

/** Returns the entries below a prefix that a session has locked. */
export const listLockedKeys = (request: RequestContext, prefix: string): KvList =>
  list(request, prefix, collectHeld)

/** Returns the names of the keys below a prefix, cut after the separator of the request. */
export const listKeys = (request: RequestContext, prefix: string): KvList => {
  const separator = request.query.filled('separator') ?? request.query.filled('seperator')
  return list(request, prefix, separator === undefined ? collectKeys : collectCut(separator))
}
