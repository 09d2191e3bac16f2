// The targets of a chain during compilation: a service or a subset of it in one datacenter.
import type { ResolverRedirect, ResolverSubset } from '../../events/config/routing.js'
import type { MeshGateway } from '../../events/config/services.js'
import type { Tenancy } from '../../events/envelope.js'
import { tenancyNamed } from '../config/names.js'
import { getOrCreate } from '../maps.js'
import { byText } from '../row-table.js'
import type { ChainTarget } from './chain.js'

interface TargetSettings {
  readonly connectTimeout: string
  readonly subset: ResolverSubset
  readonly externalSni: string
  readonly meshGateway: MeshGateway
}

export interface Target {
  readonly id: string
  readonly service: string
  /** Empty for all instances. */
  readonly subset: string
  readonly tenancy: Tenancy
  readonly datacenter: string
}

interface Surroundings {
  readonly datacenter: string
  readonly clusterId: string
}

/** The last label of every target's name, whatever the domain of DNS (config.md §6.1). */
const DOMAIN = 'consul'

export class Targets {
  readonly #byId = new Map<string, Target>()
  readonly #kept = new Map<string, ChainTarget>()

  constructor(private readonly around: Surroundings) {}

  target(service: string, subset: string, tenancy: Tenancy, datacenter = this.around.datacenter): Target {
    const { partition, namespace } = tenancy
    const parts = [service, namespace, ...(partition === 'default' ? [] : [partition]), datacenter]
    const id = (subset === '' ? parts : [subset, ...parts]).join('.')
    return getOrCreate(this.#byId, id, () => ({ id, service, subset, tenancy, datacenter }))
  }

  /** The target of a redirect or failover; another service starts without a subset. */
  rewrite(from: Target, to: ResolverRedirect): Target {
    const service = to.Service || from.service
    const subset = to.ServiceSubset || (service === from.service ? from.subset : '')
    return this.target(service, subset, tenancyNamed(to, from.tenancy), to.Datacenter || from.datacenter)
  }

  /** Adds a target with its settings to the chain. */
  keep(target: Target, settings: TargetSettings): void {
    this.#kept.set(target.id, this.#shown(target, settings))
  }

  /** The targets of the chain, in the order of their IDs. */
  kept(): readonly ChainTarget[] {
    return [...this.#kept.values()].toSorted((a, b) => byText(a.ID, b.ID))
  }

  #shown({ id, service, subset, tenancy, datacenter }: Target, settings: TargetSettings): ChainTarget {
    const { clusterId } = this.around
    const { partition, namespace } = tenancy
    const isDefault = partition === 'default'
    const name = `${id}.${isDefault ? 'internal' : 'internal-v1'}.${clusterId}.${DOMAIN}`
    return {
      ID: id,
      Service: service,
      ...(subset === '' ? {} : { ServiceSubset: subset }),
      Namespace: namespace,
      ...(isDefault ? {} : { Partition: partition }),
      Datacenter: datacenter,
      ConnectTimeout: settings.connectTimeout,
      MeshGateway: settings.meshGateway,
      Subset: settings.subset,
      ...(settings.externalSni === '' ? {} : { External: true as const }),
      SNI: settings.externalSni || name,
      Name: name
    }
  }
}
