// Lists of KV entries and of key names, optionally in pages (spec: state.md §4).
import { Refusal } from '../../../actors/refusal.js'
import type { Tenancy } from '../../../events/envelope.js'
import type { WalkStart } from '../../../projections/radix-nodes.js'
import type { RadixView } from '../../../projections/radix-tree.js'
import type { KvRow } from '../../../projections/kv/kv-row.js'
import { kvWatchKey } from '../../../projections/kv/kv.js'
import { byText, spaceOf } from '../../../projections/row-table.js'
import type { WatchKey } from '../../../projections/watch.js'
import { StepPace, type Steps } from '../../../projections/steps.js'
import { JsonList } from '../../wire/reads/json-list.js'
import { linkTo, pageOf, type Page } from '../../wire/reads/page.js'
import type { SerializedLists } from '../../wire/reads/serialized-lists.js'
import type { Body } from '../../wire/response.js'
import { type RequestContext, withNamespace } from '../../wire/request-context.js'
import { ALL_NAMESPACES } from '../../wire/tenancy.js'

/** The limit of an unpaginated response in characters. */
const LONGEST_ANSWER = 256 * 1024 * 1024

interface KvElements {
  readonly isEmpty: boolean
  /** The elements as a JSON array. */
  readonly body: Body
  /** True if entries were left out for lack of permission. */
  readonly isFiltered: boolean
  /** The link to the next page, if there is one: names and values in turn. */
  readonly headers: readonly string[]
}

export interface KvList {
  readonly index: number
  readonly watch: readonly WatchKey[]
  /** Collects the elements of the present state. */
  readonly steps: Steps<KvElements>
}

const ALL: Page = { limit: Infinity, after: undefined }

/** Collects the elements of a list up to a limit. */
class Elements {
  readonly list = new JsonList()
  readonly pace = new StepPace()
  isFiltered = false
  /** True if there are more elements than the limit. */
  hasMore = false
  /** The namespace of the last element, and its key or cut name. */
  last = { namespace: '', name: '' }
  #count = 0
  #length = 0

  constructor(private readonly limit: number) {}

  /** Returns false at the limit. @throws Refusal `too-large` */
  add(text: string, namespace: string, name: string): boolean {
    this.hasMore = this.#count >= this.limit
    if (this.hasMore) return false
    this.last = { namespace, name }
    this.#length += text.length
    if (this.#length > LONGEST_ANSWER)
      throw new Refusal(
        'kv.too-large',
        `The answer is longer than ${LONGEST_ANSWER} bytes: ask for it in pages, with limit and after`
      )
    this.#count++
    this.list.push(text)
    return true
  }
}

/** The entries of a tenancy at the index of the list, and the key or cut name that the elements follow. */
interface Space {
  readonly tenancy: Tenancy
  readonly view: RadixView<KvRow>
  readonly after: string | undefined
}

/** Adds the elements of one tenancy. */
type Collect = (request: RequestContext, space: Space, prefix: string, into: Elements) => Steps<void>

const firstAfter = (after: string | undefined): WalkStart | undefined =>
  after === undefined ? undefined : { key: after, withSubtree: false }

const mayRead = (request: RequestContext, row: KvRow): boolean =>
  request.may('key', 'read', row.key, row.tenancy)

function* collectEntries(
  request: RequestContext,
  { namespace }: Tenancy,
  rows: Iterable<KvRow>,
  into: Elements
): Steps<void> {
  const isEverywhere = request.tenancy.namespace === ALL_NAMESPACES
  for (const row of rows) {
    const text = isEverywhere ? withNamespace(row.json, row.tenancy) : row.json
    if (!mayRead(request, row)) into.isFiltered = true
    else if (!into.add(text, namespace, row.key)) return
    if (into.pace.isOver(text.length)) yield
  }
}

const collectAll: Collect = (request, { tenancy, view, after }, prefix, into) =>
  collectEntries(request, tenancy, view.walk(prefix, firstAfter(after)), into)

const collectHeld: Collect = (request, { tenancy, after }, prefix, into) => {
  const held = request.views.kv.held(tenancy, prefix)
  const rows = after === undefined ? held : held.filter(({ key }) => byText(key, after) > 0)
  return collectEntries(request, tenancy, rows, into)
}

function* collectKeys(
  request: RequestContext,
  { tenancy, view, after }: Space,
  prefix: string,
  into: Elements
) {
  for (const row of view.walk(prefix, firstAfter(after))) {
    if (!mayRead(request, row)) into.isFiltered = true
    else if (!into.add(JSON.stringify(row.key), tenancy.namespace, row.key)) return
    if (into.pace.isOver()) yield
  }
}

/** Adds keys cut after the first separator following the prefix. Skips the keys that a cut name covers. */
const collectCut = (separator: string): Collect =>
  function* (request, { tenancy, view, after: last }, prefix, into) {
    const isCut = (name: string): boolean => name.slice(prefix.length).endsWith(separator)
    let after = firstAfter(last)
    if (after && after.key.startsWith(prefix) && isCut(after.key)) after = { ...after, withSubtree: true }
    for (;;) {
      let jump: string | undefined
      for (const row of view.walk(prefix, after)) {
        if (into.pace.isOver()) yield
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

/** Returns the namespaces that a page may include. */
const spacesOf = ({ views: { kv }, tenancy }: RequestContext, { after }: Page): readonly Space[] => {
  const { partition } = tenancy
  if (tenancy.namespace !== ALL_NAMESPACES) return [{ tenancy, view: kv.view(tenancy), after }]
  const from = after === undefined ? undefined : splitAfter(after)
  const names = kv.namespaces(partition).filter(name => !from || name >= from.namespace)
  return names.map(namespace => ({
    tenancy: { partition, namespace },
    view: kv.view({ partition, namespace }),
    after: namespace === from?.namespace ? from.name || undefined : undefined
  }))
}

const nextLink = (request: RequestContext, { hasMore, last }: Elements): readonly string[] => {
  if (!hasMore) return []
  const isOfAll = request.tenancy.namespace === ALL_NAMESPACES
  const after = isOfAll ? `${last.namespace}/${last.name}` : last.name
  return ['Link', `${linkTo(request, { after })}; rel="next"`]
}

/** Cost: the elements found and those left out. */
function* collectFrom(
  request: RequestContext,
  parts: readonly Steps<void>[],
  into: Elements
): Steps<KvElements> {
  for (const part of parts) {
    yield* part
    if (into.hasMore) break
  }
  const { list, isFiltered } = into
  return { isEmpty: list.isEmpty, body: list.end(), isFiltered, headers: nextLink(request, into) }
}

/** Shorter bodies are created again, which takes about as long as to find them. */
const LEAST_CACHED = 4096

/** Where the list of a prefix is cached. `form` distinguishes the lists of a prefix. */
interface ListCache {
  readonly lists: SerializedLists
  readonly form: string
}

/** Returns the elements of a list, which are cached until its index changes. @param created not used if they are cached */
function* cachedElements(
  request: RequestContext,
  { lists, form }: ListCache,
  index: number,
  created: Steps<KvElements>
): Steps<KvElements> {
  const { kv, generation } = request.views
  const identity = { rows: kv, form, index, generation }
  const known = lists.find(request, identity)
  if (known) return { isEmpty: false, body: known.body, isFiltered: known.isShortened, headers: [] }
  const elements = yield* created
  const { body, isFiltered } = elements
  if (body.length >= LEAST_CACHED) lists.keep(request, identity, { body, isShortened: isFiltered })
  return elements
}

/** @throws Refusal */
const list = (request: RequestContext, prefix: string, collect: Collect, cache?: ListCache): KvList => {
  const { tenancy, views, settings } = request
  const { kv } = views
  const page = pageOf(request) ?? ALL
  request.requireToken()
  request.usage.listsBelow(prefix)
  if (settings.acl.enable_key_list_policy) request.require('key', 'list', prefix)
  const { partition, namespace } = tenancy
  const isOfAll = namespace === ALL_NAMESPACES
  const names = isOfAll ? kv.namespaces(partition) : [namespace]
  const index = Math.max(0, ...names.map(name => kv.indexUnder({ partition, namespace: name }, prefix)))
  const into = new Elements(page.limit)
  // Each part holds the present state of its namespace.
  const parts = spacesOf(request, page).map(space => collect(request, space, prefix, into))
  const created = collectFrom(request, parts, into)
  return {
    index,
    watch: [{ prefix: isOfAll ? `kv/${partition}/` : kvWatchKey(tenancy, prefix) }],
    steps: cache ? cachedElements(request, cache, index, created) : created
  }
}

const formOf = ({ tenancy }: RequestContext, ...texts: readonly string[]): string =>
  `keys ${JSON.stringify([spaceOf(tenancy), ...texts])}`

export const listEntries = (request: RequestContext, prefix: string, lists: SerializedLists): KvList =>
  list(request, prefix, collectAll, { lists, form: formOf(request, prefix) })

/** Returns the entries below a prefix that a session has locked. */
export const listLockedKeys = (request: RequestContext, prefix: string): KvList =>
  list(request, prefix, collectHeld)

/** Returns the names of the keys below a prefix, cut after the separator of the request. */
export const listKeys = (request: RequestContext, prefix: string, lists: SerializedLists): KvList => {
  const separator = request.query.filled('separator') ?? request.query.filled('seperator')
  const collect = separator === undefined ? collectKeys : collectCut(separator)
  return list(request, prefix, collect, { lists, form: formOf(request, prefix, 'names', separator ?? '') })
}
