import { LRUCache } from 'lru-cache'
import { cacheLimits } from '../../events/cache-limits.js'
import { DEFAULT_TENANCY } from '../../events/envelope.js'
import { queryEvents, type PreparedQuery, type QueryEvent } from '../../events/prepared-query.js'
import { RadixTree } from '../radix-tree.js'
import { TableProjection } from '../table-projection.js'
import type { Watch } from '../watch.js'
import { QueryRow, type FoundQuery } from './query-row.js'
import { TemplateError } from './template.js'

const nameKey = ({ query }: QueryRow): string | undefined => query.Name.toLowerCase() || undefined

/**
 * Prepared queries by ID, name and session, and templates by prefix. Look-ups and changes cost O(1) or the length of the name; a list O(queries). A
 * template is compiled on first use, and its last renderings are cached. Watch key: `queries` for any change.
 */
export class Queries extends TableProjection<
  QueryRow,
  PreparedQuery,
  QueryEvent,
  'name' | 'template',
  'session'
> {
  #templates = new RadixTree<QueryRow>()
  /** By name, which is not empty. Their lengths together are limited. */
  readonly #rendered = new LRUCache<string, FoundQuery>(cacheLimits(1000, 100_000, (_, name) => name.length))

  constructor(watch: Watch, below?: Queries) {
    super(
      watch,
      {
        events: queryEvents,
        rowOf: ({ Payload, Secrets }) => new QueryRow(Payload.PreparedQuery, Secrets?.['Token'] ?? ''),
        resourceOf: row => row.query,
        watched: () => ['queries'],
        secretsOf: ({ token }) => (token === '' ? undefined : { Token: token }),
        key: row => row.query.ID,
        order: row => row.query.ID,
        unique: {
          name: nameKey,
          template: row => (row.isTemplate ? row.query.Name.toLowerCase() : undefined)
        },
        multi: { session: row => (row.query.Session === '' ? [] : [row.query.Session.toLowerCase()]) }
      },
      below
    )
  }

  get(id: string): QueryRow | undefined {
    return this.table.get(id.toLowerCase())
  }

  /** Finds a query or template by its exact name in any letter case; none has the empty name. */
  named(name: string): QueryRow | undefined {
    return this.table.find('name', name.toLowerCase())
  }

  /** The template with the longest name that is a prefix of `name` in any letter case. */
  templateFor(name: string): QueryRow | undefined {
    return this.#templates.longestPrefix(name.toLowerCase())
  }

  /** The query or rendered template for a name. @throws TemplateError */
  foundBy(row: QueryRow, name: string): FoundQuery {
    if (!row.isTemplate) return row.foundBy(name)
    const known = this.#rendered.get(name)
    if (known?.row === row) return known
    const found = row.foundBy(name)
    this.#rendered.set(name, found)
    return found
  }

  /** The template with the empty prefix. */
  get catchAll(): QueryRow | undefined {
    return this.table.find('template', '')
  }

  /** The queries after an ID, or all, sorted by ID; see `Table.behind`. */
  behind(after: string | undefined): Iterable<QueryRow> {
    return this.table.behind(DEFAULT_TENANCY, after)
  }

  ofSession(id: string): QueryRow[] {
    return [...this.table.sharing('session', id)].toSorted((a, b) => (a.query.ID < b.query.ID ? -1 : 1))
  }

  protected override replaced(before: QueryRow | undefined, row: QueryRow | undefined): void {
    if (before?.isTemplate) this.#templates.delete(before.query.Name.toLowerCase())
    if (row?.isTemplate) this.#templates.put(row.query.Name.toLowerCase(), row)
  }

  override reset(): void {
    super.reset()
    this.#templates = new RadixTree()
    this.#rendered.clear()
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * Finds a query by ID, by name, or as the template with the longest prefix, rendered for the name (spec: queries.md §5).
 * @throws TemplateError if a template is named by its ID, or has no value for the name
 */
export const findQuery = (queries: Queries, name: string): FoundQuery | undefined => {
  if (name === '') return undefined
  const byId = UUID.test(name) ? queries.get(name) : undefined
  if (byId?.isTemplate)
    throw new TemplateError('prepared query templates can only be resolved up by name, not by ID')
  const row = byId ?? queries.named(name) ?? queries.templateFor(name)
  return row && queries.foundBy(row, name)
}
