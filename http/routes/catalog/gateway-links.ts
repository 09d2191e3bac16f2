// The services behind each gateway, with wildcards resolved (spec: state.md §6.1, config.md §4.8, §4.9).
import type { Tenancy } from '../../../events/envelope.js'
import type { EntryRow } from '../../../projections/config/rows.js'
import { tenancyNamed } from '../../../projections/config/names.js'
import { spaceOf } from '../../../projections/row-table.js'
import { tenancyViewOf } from '../../../projections/tenancy-view.js'
import type { Views } from '../../../projections/read-models.js'

const INGRESS = 'ingress-gateway'
const TERMINATING = 'terminating-gateway'
/** Kinds of the entries of gateways that services are bound to. */
export const GATEWAY_KINDS = [INGRESS, TERMINATING] as const
/** The wildcard for every service of a namespace. */
const ANY = '*'
/** The service of the servers themselves, which are behind no gateway. */
const SERVERS = 'consul'

interface GatewayLink {
  readonly name: string
  readonly tenancy: Tenancy
  readonly shown: object
}

/** A service that an entry names, or the wildcard. */
interface Named extends GatewayLink {
  readonly port: number
  /** The protocol that `*` is limited to; undefined for any. */
  readonly protocol?: string
}

const namedBy = ({ entry, tenancy }: EntryRow): readonly Named[] => {
  if (entry.Kind === INGRESS)
    return (entry.Listeners ?? []).flatMap(({ Port, Protocol, Services }) =>
      (Services ?? []).map(one => ({
        name: one.Name,
        tenancy: tenancyNamed(one, tenancy),
        port: Port,
        protocol: Protocol,
        shown: {
          GatewayKind: INGRESS,
          Port,
          Protocol,
          ...(one.Hosts && one.Hosts.length > 0 ? { Hosts: one.Hosts } : {})
        }
      }))
    )
  if (entry.Kind !== TERMINATING) return []
  return (entry.Services ?? []).map(({ Name = '', Namespace, Partition, ...files }) => ({
    name: Name,
    tenancy: tenancyNamed({ Namespace, Partition }, tenancy),
    port: 0,
    shown: { GatewayKind: TERMINATING, ...files }
  }))
}

/** Resolves `*` by the catalog, and protocols by the configuration. */
export class GatewayLinks {
  /** By `spaceOf`. */
  readonly #decidedBy = new Map<string, Tenancy>()

  constructor(
    private readonly views: Views,
    private readonly datacenter: string
  ) {}

  /**
   * Returns the services behind a gateway by name, namespace and port. `*` excludes services that the entry names. Cost: the named
   * services, and for `*` those of its namespace.
   */
  behind(gateway: EntryRow): readonly GatewayLink[] {
    const links = new Map<string, GatewayLink>()
    const Gateway = { Name: gateway.name, ...tenancyViewOf(gateway.tenancy) }
    const add = ({ tenancy, port, shown }: Named, name: string, index: number, wildcard: object): void => {
      const key = `${name.toLowerCase()}\0${spaceOf(tenancy)}\0${String(port).padStart(5, '0')}`
      if (links.has(key)) return
      const Service = { Name: name, ...tenancyViewOf(tenancy) }
      const indexes = { CreateIndex: index, ModifyIndex: index }
      links.set(key, { name, tenancy, shown: { Gateway, Service, ...shown, ...wildcard, ...indexes } })
    }
    const named = namedBy(gateway)
    const { ModifyIndex } = gateway.entry
    for (const one of named) if (one.name !== ANY) add(one, one.name, ModifyIndex, {})
    for (const one of named)
      if (one.name === ANY)
        for (const { name, since } of this.#servicesIn(one.tenancy))
          if (this.#speaks(one, name)) add(one, name, Math.max(ModifyIndex, since), { FromWildcard: true })
    return [...links].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, link]) => link)
  }

  /** Returns the ingress gateways of a service. Cost: all entries of the partition's ingress gateways. */
  exposing(name: string, tenancy: Tenancy): readonly EntryRow[] {
    const { config } = this.views
    const folded = name.toLowerCase()
    const matches = (one: Named): boolean =>
      spaceOf(one.tenancy) === spaceOf(tenancy) &&
      (one.name.toLowerCase() === folded ||
        (one.name === ANY && this.#instanceOf(tenancy, name) !== undefined && this.#speaks(one, name)))
    return [...config.inPartition(INGRESS, tenancy.partition)].filter(row => namedBy(row).some(matches))
  }

  /** Returns the namespaces that an entry names with `*`. */
  namedWhole(gateway: EntryRow): readonly Tenancy[] {
    return namedBy(gateway)
      .filter(({ name }) => name === ANY)
      .map(({ tenancy }) => tenancy)
  }

  /** The tenancies whose configuration determined the protocols so far. */
  get decidedBy(): readonly Tenancy[] {
    return [...this.#decidedBy.values()]
  }

  /** Returns the name and creation index of a service with an instance that is no proxy and no gateway; undefined without one. */
  #instanceOf(tenancy: Tenancy, name: string): { readonly name: string; readonly since: number } | undefined {
    const rows = this.views.catalog.space(tenancy).byName.get(name)?.rows ?? []
    const typical = rows.filter(({ state }) => state.service.Kind === '')
    const [first] = typical
    if (!first || first.name.toLowerCase() === SERVERS) return undefined
    return { name: first.name, since: Math.min(...typical.map(({ state }) => state.service.CreateIndex)) }
  }

  #servicesIn(tenancy: Tenancy) {
    const { byName } = this.views.catalog.space(tenancy)
    return byName.names().flatMap(name => this.#instanceOf(tenancy, name) ?? [])
  }

  #speaks({ tenancy, protocol }: Named, service: string): boolean {
    if (protocol === undefined) return true
    const datacenter = this.datacenter
    const chain = this.views.chains.get({ service, tenancy, datacenter, homeDatacenter: datacenter })
    for (const one of chain.tenancies) this.#decidedBy.set(spaceOf(one), one)
    return 'protocol' in chain.result && chain.result.protocol === protocol
  }
}
