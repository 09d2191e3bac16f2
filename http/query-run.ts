// Runs prepared queries by name for HTTP and DNS: which token counts, where near is, what was found (queries.md §4.3, §6).
import { aclNotFound, invalid, Refusal } from '../actors/refusal.js'
import { DEFAULT_TENANCY } from '../events/envelope.js'
import type { Authority } from '../projections/acl/resolve.js'
import { execute, type Executed } from '../projections/queries/execute.js'
import { findQuery } from '../projections/queries/find.js'
import type { Found } from '../projections/queries/found.js'
import type { Near } from '../projections/queries/order.js'
import { TemplateError } from '../projections/queries/template.js'
import type { App } from './app.js'

export interface QueryRun {
  /** ID, name, or a name that a template is for. */
  readonly name: string
  /** Secret of the caller; undefined for none. */
  readonly secret: string | undefined
  /** Epoch milliseconds. */
  readonly now: number
  /** Gives the address of the caller in its usual form, for `_ip`. */
  readonly address: () => string
  /** In place of the query's own `Near`. */
  readonly near?: string | undefined
  readonly limit?: number
  readonly connect?: boolean
}

/** @throws Refusal `missing` when no query has the name, `invalid` when its template has no value for it */
export const resolveQuery = ({ views }: App, name: string): Found => {
  try {
    const found = findQuery(views.queries, name)
    if (found) return found
  } catch (error) {
    if (error instanceof TemplateError) throw invalid(error.message)
    throw error
  }
  throw new Refusal('missing', 'Query not found')
}

const nearOf = ({ settings, views }: App, near: string, address: () => string): Near | undefined => {
  const { addresses, coordinates } = views
  const node =
    near === '_agent' ? settings.node_name : near === '_ip' ? addresses.nodesAt(address())[0] : near
  return node ? { node, placesOf: name => coordinates.of(DEFAULT_TENANCY.partition, name) } : undefined
}

export interface Ran {
  readonly found: Found
  readonly executed: Executed
}

/**
 * Runs a query. It answers at once, unless other datacenters are to be asked.
 * @throws Refusal `missing`, `invalid`; `denied` when the token of the query, or without one of the caller, is unknown
 */
export const runQuery = (app: App, run: QueryRun): Ran | Promise<Ran> => {
  const found = resolveQuery(app, run.name)
  const secret = found.row.token || run.secret
  const authority: Authority | undefined = app.views.resolver.resolve(secret, run.now)
  if (!authority) throw aclNotFound()
  const near = run.near || found.service.Near
  const executed = execute(found, {
    candidates: app.views.candidates,
    datacenter: app.settings.datacenter,
    datacenters: app.datacenters,
    authorizer: authority.authorizer,
    secret,
    random: Math.random,
    near: near === '' ? undefined : nearOf(app, near, run.address),
    limit: run.limit ?? 0,
    connect: run.connect ?? false
  })
  return executed instanceof Promise
    ? executed.then(done => ({ found, executed: done }))
    : { found, executed }
}
