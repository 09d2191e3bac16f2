import { StepPace, type Steps } from '../steps.js'
import type { IngressListener } from '../../events/config/access.js'
import type { Tenancy } from '../../events/envelope.js'
import type { Catalog } from '../catalog/catalog.js'
import type { ServiceInstances } from '../catalog/services-by-namespace.js'
import { checkObject, nodeObject, serviceObject } from '../catalog/json.js'
import type { ServiceRow } from '../catalog/rows.js'
import type { ConfigEntries } from '../config/entries.js'
import type { Instance, InstanceCheck, InstanceNode, InstanceService, Instances } from './instance.js'

const NONE: readonly Instance[] = []
const INGRESS = 'ingress-gateway'
const ANY = '*'

interface Source {
  readonly catalog: Catalog
  readonly config: ConfigEntries
  hasNamespace(tenancy: Tenancy): boolean
}

class LocalInstance implements Instance {
  readonly tenancy: Tenancy
  readonly node: InstanceNode
  readonly service: InstanceService
  readonly checks: readonly InstanceCheck[]
  #json: Buffer | undefined

  constructor(private readonly row: ServiceRow) {
    const { partition, namespace, service } = row.state
    this.tenancy = { partition, namespace }
    this.node = row.node.state.node
    this.service = service
    this.checks = row.allChecks.map(({ state }) => state.check)
  }

  get json(): Buffer {
    return (this.#json ??= Buffer.from(this.#text()))
  }

  /** The form of the health endpoints, but with null for no tags and no checks (queries.md §6.2), and without the secrets of checks. */
  #text(): string {
    const node = { ...nodeObject(this.row.node.state), NodeMeta: this.node.Meta }
    const checks = this.row.allChecks.map(({ state }) => checkObject(state, { noTags: null }))
    const text = JSON.stringify({
      Node: node,
      Service: serviceObject(this.row.state, null),
      Checks: checks.length > 0 ? checks : null
    })
    return text.slice(0, -1)
  }
}

/** @param home namespace of the gateway, for services without one */
const exposes = (
  listeners: readonly IngressListener[] | null,
  home: string,
  service: string,
  namespace: string
): boolean =>
  listeners?.some(({ Services }) =>
    Services?.some(
      exposed =>
        (exposed.Name === ANY || exposed.Name?.toLowerCase() === service) &&
        (exposed.Namespace ?? home) === namespace
    )
  ) === true

/**
 * Reads the catalog with a cache of lists and instances: a look-up costs O(1), the first one after a change O(instances);
 * for ingress gateways, O(services that the gateways of the partition expose).
 */
export class LocalInstances implements Instances {
  readonly #instances = new WeakMap<ServiceRow, LocalInstance>()
  /** With the index of the group, which every change of an instance increases. */
  readonly #lists = new WeakMap<
    ServiceInstances,
    { readonly index: number; readonly instances: readonly Instance[] }
  >()

  constructor(private readonly source: Source) {}

  *of(tenancy: Tenancy, service: string): Steps<readonly Instance[]> {
    if (!this.source.hasNamespace(tenancy)) return NONE
    return yield* this.#listed(this.source.catalog.space(tenancy).byName.get(service))
  }

  *connect(tenancy: Tenancy, service: string): Steps<readonly Instance[]> {
    if (!this.source.hasNamespace(tenancy)) return NONE
    return yield* this.#listed(this.source.catalog.space(tenancy).byConnect.get(service))
  }

  *ingress(tenancy: Tenancy, service: string): Steps<readonly Instance[]> {
    const { catalog, config } = this.source
    const name = service.toLowerCase()
    const pace = new StepPace()
    const rows: ServiceRow[] = []
    for (const { entry, tenancy: home } of config.inPartition(INGRESS, tenancy.partition))
      if (entry.Kind === INGRESS && exposes(entry.Listeners, home.namespace, name, tenancy.namespace))
        rows.push(...(catalog.space(home).byName.get(entry.Name)?.rows ?? []))
    const instances: Instance[] = []
    for (const row of rows) {
      if (row.state.service.Kind === INGRESS) instances.push(this.#instance(row))
      if (pace.isOver()) yield
    }
    return instances
  }

  *#listed(group: ServiceInstances | undefined): Steps<readonly Instance[]> {
    if (!group) return NONE
    const known = this.#lists.get(group)
    if (known?.index === group.index) return known.instances
    const { index, rows } = group
    const pace = new StepPace()
    const instances: Instance[] = []
    for (const row of rows) {
      instances.push(this.#instance(row))
      if (pace.isOver()) yield
    }
    this.#lists.set(group, { index, instances })
    return instances
  }

  #instance(row: ServiceRow): Instance {
    const known = this.#instances.get(row)
    if (known) return known
    const instance = new LocalInstance(row)
    this.#instances.set(row, instance)
    return instance
  }
}
