import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import {
  isTemplate,
  type PreparedQuery,
  type QueryService,
  queryDefinition
} from '../../events/prepared-query.js'
import { type ResourceView, resourceViewsOf } from '../definition/resource-views.js'
import type { Instance } from './instance.js'
import { compileTemplate, type Render } from './template.js'

const shownQuery = resourceViewsOf(queryDefinition)

/** The query in responses; `token` is the token to show. */
export const queryObject = (query: PreparedQuery, token: string, service: QueryService = query.Service) => {
  const { CreateIndex, ModifyIndex } = query
  const view = shownQuery({ ...query, Token: token, Service: service }, DEFAULT_TENANCY)
  return { ...view, RaftIndex: { CreateIndex, ModifyIndex } }
}

const MARK = '"Token":""'

/** A query with derived values that are computed on first use (spec: queries.md §6.2). */
export class QueryRow {
  readonly isTemplate: boolean
  /** The JSON of the query before and after the token (decisions.md 6). */
  #text: { readonly head: string; readonly tail: string } | undefined
  #render: Render | undefined
  #found: FoundQuery | undefined

  constructor(
    readonly query: PreparedQuery,
    /** The token itself; '' for none. */
    readonly token: string
  ) {
    this.isTemplate = isTemplate(query)
  }

  /** The query as JSON. Without `inClear` the token is `<hidden>`. */
  json(inClear: boolean): string {
    const { head, tail } = (this.#text ??= this.#split())
    return `${head}"Token":${JSON.stringify(inClear ? this.token : this.query.Token)}${tail}`
  }

  /** The query itself, or a template rendered for the name. @throws TemplateError */
  foundBy(name: string): FoundQuery {
    if (this.isTemplate) return new FoundQuery(this, (this.#render ??= compileTemplate(this.query))(name))
    return (this.#found ??= new FoundQuery(this, this.query.Service))
  }

  #split() {
    const { ID, Name, Session, ...rest }: ResourceView = queryObject(this.query, '')
    const start = JSON.stringify({ ID, Name, Session }).slice(0, -1)
    return { head: `${start},`, tail: JSON.stringify(rest).slice(1 + MARK.length) }
  }
}

export interface Origin {
  readonly datacenter: string
  readonly failovers: number
}

export const END = Buffer.from(']')

/** A query and its service for one name. The object stays the same until the query changes. */
export class FoundQuery {
  /** The namespace of the query's service, not of the token. */
  readonly tenancy: Tenancy
  #head: Buffer | undefined
  #tail: (Origin & { readonly bytes: Buffer }) | undefined
  #short:
    { readonly instance: Instance | undefined; readonly tail: Buffer; readonly text: string } | undefined

  constructor(
    readonly row: QueryRow,
    readonly service: QueryService
  ) {
    const namespace = service.Namespace?.toLowerCase() || DEFAULT_TENANCY.namespace
    this.tenancy = { partition: DEFAULT_TENANCY.partition, namespace }
  }

  get head(): Buffer {
    return (this.#head ??= this.#begin())
  }

  /** The end of a response and of each of its instances (decisions.md 7). Cached for one origin. */
  tail({ datacenter, failovers }: Origin): Buffer {
    const known = this.#tail
    if (known?.datacenter === datacenter && known.failovers === failovers) return known.bytes
    const { TTL } = this.row.query.DNS
    const fields = JSON.stringify({ DNS: { TTL }, Datacenter: datacenter, Failovers: failovers })
    const bytes = Buffer.from(`,${fields.slice(1)}`)
    this.#tail = { datacenter, failovers, bytes }
    return bytes
  }

  /** The response with one instance or none, which have one order. Cached for one instance and origin. */
  textWith(instance: Instance | undefined, origin: Origin): string {
    const tail = this.tail(origin)
    if (this.#short?.instance === instance && this.#short?.tail === tail) return this.#short.text
    const instances = instance ? [instance.json, tail] : []
    const text = Buffer.concat([this.head, ...instances, END, tail]).toString()
    this.#short = { instance, tail, text }
    return text
  }

  #begin(): Buffer {
    const { namespace } = this.tenancy
    const shown = namespace === DEFAULT_TENANCY.namespace ? '' : `,"Namespace":${JSON.stringify(namespace)}`
    return Buffer.from(`{"Service":${JSON.stringify(this.service.Service)}${shown},"Nodes":[`)
  }
}
