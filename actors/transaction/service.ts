// Operations on service instances in a transaction (spec: state.md §3.7).
import type { Tenancy } from '../../events/envelope.js'
import type { ServiceInput, ServiceState } from '../../events/service.js'
import { serviceObject } from '../../projections/catalog/json.js'
import { checkServiceInput, ensureService, removeService } from '../catalog/service.js'
import { catalogOperation } from './catalog.js'
import { requireRight, type Operation, type TransactionContext } from './operation.js'

export interface ServiceOperationInput {
  readonly verb: string
  readonly tenancy: Tenancy
  readonly node: string
  readonly input: ServiceInput
  /** As it was given; the input's is filled in from the name. */
  readonly id: string
  readonly index: bigint
}

/**
 * A transaction stores nothing of gateways, proxies and Connect (state.md §3.7); what is said of them is
 * checked.
 */
const storedPart = (input: ServiceInput): ServiceInput => ({
  ...input,
  Kind: '',
  TaggedAddresses: null,
  SocketPath: '',
  Proxy: { Mode: '', MeshGateway: {}, Expose: {} },
  Connect: {}
})

export const serviceOperation = ({
  verb,
  tenancy,
  node,
  input,
  id,
  index
}: ServiceOperationInput): Operation => {
  const requireWrite = (context: TransactionContext, name: string): void =>
    requireRight(context, 'service', 'write', name, tenancy)
  return catalogOperation<ServiceState>({
    kind: 'Service',
    verb,
    tenancy,
    index,
    title: `service "${verb === 'get' ? id : input.ID}" on node "${node}"`,
    check: context => {
      checkServiceInput(input)
      requireWrite(context, input.Service)
      const destination = input.Kind === 'connect-proxy' ? input.Proxy.DestinationServiceName : undefined
      if (destination !== undefined) requireWrite(context, destination)
    },
    find: context => context.models.catalog.service(tenancy, node, id),
    stored: context => context.models.catalog.service(tenancy, node, input.ID),
    modifyIndex: state => state.service.ModifyIndex,
    put: (context, before) => {
      if (before) requireWrite(context, before.service.Service)
      return ensureService(context.unit, tenancy, node, storedPart(input))
    },
    remove: (context, state) => {
      requireWrite(context, state.service.Service)
      removeService(context.unit, state)
    },
    show: state => serviceObject(state, null),
    mayRead: ({ rights }, { service }) => rights.may('service', 'read', service.Service, tenancy)
  })
}
