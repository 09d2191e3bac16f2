import type { CheckEvent } from '../../events/check.js'
import type { NodeEvent } from '../../events/node.js'
import type { ServiceEvent } from '../../events/service.js'
import { namespacedTenancyOf, tenancyOf } from '../tenancy-view.js'
import type { Watch } from '../watch.js'
import { catalogKeys } from './reader.js'
import type { CheckRow, ServiceRow } from './rows.js'
import { connectName } from './services-by-namespace.js'

/** Wakes the blocking queries on the catalog after events and changes of instances. Builds no key without waiters. */
export class CatalogWatch {
  constructor(private readonly watch: Watch) {}

  node({ Partition, Payload }: NodeEvent): void {
    if (this.watch.size === 0) return
    this.watch.touch(catalogKeys.nodes(Partition))
    this.watch.touch(catalogKeys.node(Partition, Payload.Node.Name))
  }

  service(event: ServiceEvent): void {
    if (this.watch.size === 0) return
    const tenancy = tenancyOf(event)
    if (event.Type === 'ServiceDeregistration') this.watch.touch(catalogKeys.checks(tenancy))
    this.watch.touch(catalogKeys.services(tenancy))
    this.watch.touch(catalogKeys.node(event.Partition, event.Payload.Service.Node))
  }

  check(event: CheckEvent, before: CheckRow | undefined): void {
    if (this.watch.size === 0) return
    const { Node, ServiceID, ServiceName } = event.Payload.Check
    const tenancy = namespacedTenancyOf(event)
    if (event.Type === 'CheckDeregistration' && ServiceID === '')
      this.watch.touch(catalogKeys.services(tenancy))
    this.watch.touch(catalogKeys.checks(tenancy))
    this.watch.touch(catalogKeys.checksOfNode(event.Partition, Node))
    for (const name of new Set([ServiceName, before?.state.check.ServiceName ?? ServiceName]))
      this.watch.touch(catalogKeys.checksOfService(tenancy, name))
  }

  instance(row: ServiceRow): void {
    if (this.watch.size === 0) return
    this.watch.touch(catalogKeys.service(row.state, row.name))
    const destination = connectName(row.state.service)
    if (destination !== undefined) this.watch.touch(catalogKeys.connect(row.state, destination))
  }
}
