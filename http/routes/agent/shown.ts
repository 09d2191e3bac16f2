// The forms in which the agent shows its services and checks (spec: state.md §8).
import type { HealthCheck } from '../../../events/check.js'
import { checkObject } from '../../../projections/catalog/json.js'
import type { CheckRow, ServiceRow } from '../../../projections/catalog/rows.js'
import type { CatalogScope } from '../catalog/rights.js'
import { shownTenancy } from '../../../projections/shown-tenancy.js'

/** A service as the agent shows it: without indexes, with empty maps rather than none. */
export const agentServiceObject = ({ state, host }: ServiceRow): object => {
  const { service } = state
  const { Mode, ...proxy } = service.Proxy
  const isPlain = service.Kind === ''
  return {
    ...(isPlain ? {} : { Kind: service.Kind }),
    ID: service.ID,
    Service: service.Service,
    ...shownTenancy(state),
    Tags: service.Tags ?? [],
    Meta: service.Meta ?? {},
    Port: service.Port,
    Address: service.Address,
    ...(service.SocketPath === '' ? {} : { SocketPath: service.SocketPath }),
    ...(service.TaggedAddresses ? { TaggedAddresses: service.TaggedAddresses } : {}),
    Weights: service.Weights,
    EnableTagOverride: service.EnableTagOverride,
    ...(isPlain ? {} : { Proxy: Mode === '' ? proxy : service.Proxy }),
    ...(service.Connect.Native ? { Connect: service.Connect } : {}),
    Datacenter: host.state.node.Datacenter
  }
}

/**
 * A check as the agent shows it: with indexes of 0. Its output, which may be what another server answered to this one, is
 * for those who may read the node.
 */
export const agentCheckObject = (row: CheckRow, scope: CatalogScope): HealthCheck => ({
  ...checkObject(row.state),
  ...(scope.check(row) ? {} : { Output: '' }),
  CreateIndex: 0,
  ModifyIndex: 0
})
