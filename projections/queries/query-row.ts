// A prepared query with what follows from it alone, and as one name finds it (spec: queries.md §6.2).
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import {
  isTemplate,
  type PreparedQuery,
  type QueryService,
  queryDefinition
} from '../../events/prepared-query.js'
import { type ResourceView, resourceViewsOf } from '../definition/resource-views.js'
import { compileTemplate, type Render } from './template.js'

/** The query in the form of answers, as text up to the token and from there on (decisions.md 6). */
interface QueryText {
  readonly head: string
  readonly tail: string
}

const shownQuery = resourceViewsOf(queryDefinition)

/** The query in the form of answers; `token` is what is shown of its token. */
export const queryObject = (query: PreparedQuery, token: string, service: QueryService = query.Service) => {
  const { CreateIndex, ModifyIndex } = query
  const answer = shownQuery({ ...query, Token: token, Service: service }, DEFAULT_TENANCY)
  return { ...answer, RaftIndex: { CreateIndex, ModifyIndex } }
}

const MARK = '"Token":""'

/** A query with what follows from it alone, worked out when it is first asked for. */
export class QueryRow {
  readonly isTemplate: boolean
  #text: QueryText | undefined
  #render: Render | undefined
  #found: FoundQuery | undefined

  constructor(
    readonly query: PreparedQuery /** The token itself; '' for none. */,
    readonly token: string
  ) {
    this.isTemplate = isTemplate(query)
  }

  /** The query as JSON. Without `inClear` a token is shown as `<hidden>`. */
  json(inClear: boolean): string {
    const { head, tail } = (this.#text ??= this.#split())
    return `${head}"Token":${JSON.stringify(inClear ? this.token : this.query.Token)}${tail}`
  }

  /** The query as a name finds it: itself, or a template rendered for the name. @throws TemplateError */
  foundBy(name: string): FoundQuery {
    if (this.isTemplate) return new FoundQuery(this, (this.#render ??= compileTemplate(this.query))(name))
    return (this.#found ??= new FoundQuery(this, this.query.Service))
  }

  #split(): QueryText {
    const { ID, Name, Session, ...rest }: ResourceView = queryObject(this.query, '')
    const start = JSON.stringify({ ID, Name, Session }).slice(0, -1)
    return { head: `${start},`, tail: JSON.stringify(rest).slice(1 + MARK.length) }
  }
}

/** Where the instances of an answer come from. */
export interface Origin {
  /** The datacenter that answered last. */
  readonly datacenter: string
  /** Number of other datacenters asked. */
  readonly failovers: number
}

/** A query and the service that it asks for under one name. The same object until the query changes. */
export class FoundQuery {
  /** Where the query looks: in the namespace that it names, not that of the token. */
  readonly tenancy: Tenancy
  #head: Buffer | undefined
  #tail: (Origin & { readonly bytes: Buffer }) | undefined

  constructor(
    readonly row: QueryRow,
    readonly service: QueryService
  ) {
    const namespace = service.Namespace?.toLowerCase() || DEFAULT_TENANCY.namespace
    this.tenancy = { partition: DEFAULT_TENANCY.partition, namespace }
  }

  /** The answer of an execution as JSON, up to its instances. */
  get head(): Buffer {
    return (this.#head ??= this.#begin())
  }

  /** The end of an answer as JSON, as of each of its instances (decisions.md 7). Kept for one origin. */
  tail({ datacenter, failovers }: Origin): Buffer {
    const known = this.#tail
    if (known?.datacenter === datacenter && known.failovers === failovers) return known.bytes
    const { TTL } = this.row.query.DNS
    const fields = JSON.stringify({ DNS: { TTL }, Datacenter: datacenter, Failovers: failovers })
    const bytes = Buffer.from(`,${fields.slice(1)}`)
    this.#tail = { datacenter, failovers, bytes }
    return bytes
  }

  #begin(): Buffer {
    const { namespace } = this.tenancy
    const shown = namespace === DEFAULT_TENANCY.namespace ? '' : `,"Namespace":${JSON.stringify(namespace)}`
    return Buffer.from(`{"Service":${JSON.stringify(this.service.Service)}${shown},"Nodes":[`)
  }
}
