// The resources with an address: for reverse names, and for queries near the caller (spec: queries.md §6.3, §8.5).
import { DEFAULT_TENANCY, type Event } from '../../events/envelope.js'
import { isNodeEvent, NODE_TOPIC, nodeState } from '../../events/node.js'
import { isServiceEvent, SERVICE_TOPIC } from '../../events/service.js'
import { localKey } from '../catalog/reader.js'
import { canonicalAddress } from '../ip-address.js'
import type { Projection, Fact } from '../projection.js'

interface AddressedService {
  readonly namespace: string
  readonly service: string
  readonly node: string
}

/** Resources by address and addresses by key. A change costs O(1). */
class AddressIndex<Resource> {
  readonly #byAddress = new Map<string, Map<string, Resource>>()
  readonly #addresses = new Map<string, string>()

  set(key: string, address: string | undefined, resource: Resource): void {
    this.delete(key)
    if (address === undefined) return
    this.#addresses.set(key, address)
    const resources = this.#byAddress.get(address)
    if (resources) resources.set(key, resource)
    else this.#byAddress.set(address, new Map([[key, resource]]))
  }

  delete(key: string): void {
    const address = this.#addresses.get(key)
    if (address === undefined) return
    this.#addresses.delete(key)
    const resources = this.#byAddress.get(address)
    resources?.delete(key)
    if (resources?.size === 0) this.#byAddress.delete(address)
  }

  at(address: string): Resource[] {
    const resources = this.#byAddress.get(address)
    if (!resources) return []
    return [...resources].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource)
  }

  clear(): void {
    this.#byAddress.clear()
    this.#addresses.clear()
  }
}

/** Nodes and services of the default partition by IP address. Costs: a change O(1), a look-up O(n log n) for those of an address, usually one. */
export class Addresses implements Projection {
  readonly topics = [NODE_TOPIC, SERVICE_TOPIC]
  readonly memory = {}
  readonly #nodes = new AddressIndex<string>()
  readonly #services = new AddressIndex<AddressedService>()
  readonly #keys = new Map<string, string>()

  /** Names of the nodes with this canonical address, sorted without regard to letter case. */
  nodesAt(address: string): string[] {
    return this.#nodes.at(address)
  }

  servicesAt(address: string): AddressedService[] {
    return this.#services.at(address)
  }

  apply(event: Event): void {
    if (event.Partition !== DEFAULT_TENANCY.partition) return
    if (isNodeEvent(event)) {
      const { node } = nodeState(event)
      const key = node.Node.toLowerCase()
      if (event.Type === 'NodeDeregistration') this.#nodes.delete(key)
      else this.#nodes.set(key, canonicalAddress(node.Address), node.Node)
    } else if (isServiceEvent(event)) {
      const { Namespace: namespace, Payload } = event
      const { Node: node, ID, ServiceName: service, ServiceAddress } = Payload.Service
      const place = `${node.toLowerCase()}\0${localKey(namespace, ID)}`
      const key = `${service.toLowerCase()}\0${place}`
      // The key begins with the name, which may have changed.
      const before = this.#keys.get(place)
      if (before !== undefined) this.#services.delete(before)
      this.#keys.delete(place)
      const address = event.Type === 'ServiceDeregistration' ? undefined : canonicalAddress(ServiceAddress)
      if (address === undefined) return
      this.#keys.set(place, key)
      this.#services.set(key, address, { namespace, service, node })
    }
  }

  reset(): void {
    this.#nodes.clear()
    this.#services.clear()
    this.#keys.clear()
  }

  *facts(): Iterable<Fact> {}
}
