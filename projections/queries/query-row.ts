// A query as it is executed under one name, and the parts of its answers that stay the same (spec: queries.md §6.2).
import { DEFAULT_TENANCY, type Tenancy } from '../../events/envelope.js'
import type { QueryService } from '../../events/prepared-query.js'
import type { QueryRow } from './queries.js'

/** Where the instances of an answer come from. */
export interface Origin {
  /** The datacenter that answered last. */
  readonly datacenter: string
  /** Number of other datacenters asked. */
  readonly failovers: number
}

/** A query and the service that it asks for under the name it was found by. It is the same object until the query changes. */
export class Found {
  readonly row: QueryRow
  readonly service: QueryService
  /** Where the query looks: in the namespace that it names, not that of the token. */
  readonly tenancy: Tenancy
  #head: Buffer | undefined
  #tail: (Origin & { readonly bytes: Buffer }) | undefined

  constructor(row: QueryRow, service: QueryService) {
    this.row = row
    this.service = service
    const namespace = service.Namespace?.toLowerCase() || DEFAULT_TENANCY.namespace
    this.tenancy = { partition: DEFAULT_TENANCY.partition, namespace }
  }

  /** The answer of an execution as JSON, up to its instances. */
  get head(): Buffer {
    return (this.#head ??= this.#begin())
  }

  /** The end of an answer as JSON, which is that of each of its instances too (decisions.md 7). Kept for one origin. */
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
