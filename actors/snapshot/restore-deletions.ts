import { isAuthMethodEvent } from '../../events/auth-method.js'
import { isCheckEvent } from '../../events/check.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { isLegalHoldEvent } from '../../events/legal-hold.js'
import { isNamespaceEvent, isPartitionEvent } from '../../events/namespace.js'
import { isNodeEvent } from '../../events/node.js'
import { isServiceEvent } from '../../events/service.js'
import { isSessionEvent } from '../../events/session.js'
import type { Views } from '../../projections/read-models.js'
import { UnitOfWork } from '../unit-of-work.js'
import { authMethodAggregate } from '../auth-method/auth-method.js'
import { catalogAggregate } from '../catalog/catalog.js'
import { SERVER } from '../aggregate.js'
import type { Lifecycles } from '../lifecycle.js'
import { namespaceAggregate } from '../namespace.js'
import { partitionAggregate } from '../partition.js'
import {
  namespaceResources,
  partitionResources,
  type RemainingResources
} from '../processes/namespace-deletion/remaining-resources.js'
import { sessionAggregate } from '../session.js'

export interface DeletionContext {
  readonly views: Views
  readonly lifecycles: Lifecycles
  /** Epoch milliseconds. */
  readonly at: number
}

const isEmpty = (kinds: readonly RemainingResources[], views: Views, tenancy: Tenancy): boolean =>
  kinds.every(kind => {
    for (const _ of kind(views, tenancy)) return false
    return true
  })

/** For a resource that others may depend on, decides as its own command does. */
const decide = (event: Event, { views, at }: DeletionContext): readonly Event[] | undefined => {
  const tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
  const common = { tenancy, caller: SERVER, at }
  const state = [views, views.index + 1] as const
  const deregister = (node: string, serviceId = '', checkId = ''): readonly Event[] =>
    catalogAggregate.decide({ ...common, name: 'Deregister', data: { node, serviceId, checkId } }, ...state)
  if (isNodeEvent(event)) return deregister(event.Payload.Node.Name)
  if (isServiceEvent(event)) return deregister(event.Payload.Service.Node, event.Payload.Service.ID)
  if (isCheckEvent(event)) return deregister(event.Payload.Check.Node, '', event.Payload.Check.CheckID)
  if (isSessionEvent(event))
    return sessionAggregate.decide({ ...common, name: 'DestroySession', data: { id: event.Key } }, ...state)
  if (isAuthMethodEvent(event))
    return authMethodAggregate.decide(
      { ...common, name: 'DeleteAuthMethod', data: { name: event.Key } },
      ...state
    )
  // A snapshot does not lift a hold.
  if (isLegalHoldEvent(event)) return []
  // The content that clients created meanwhile is deleted in the background.
  if (isNamespaceEvent(event)) {
    if (event.Key === 'default' && event.Partition === 'default') return []
    const space = { partition: event.Partition, namespace: event.Key }
    return isEmpty(namespaceResources, views, space)
      ? undefined
      : namespaceAggregate.decide(
          { ...common, tenancy: space, name: 'DeleteNamespace', data: null },
          ...state
        )
  }
  if (isPartitionEvent(event)) {
    if (event.Key === 'default') return []
    const space = { partition: event.Key, namespace: 'default' }
    return views.namespaces.list(event.Key).length === 0 && isEmpty(partitionResources, views, space)
      ? undefined
      : partitionAggregate.decide(
          { ...common, tenancy: space, name: 'DeletePartition', data: null },
          ...state
        )
  }
  return undefined
}

/** Returns the events that delete a resource; none for built-in ones. @param end has its last state */
export const deletionEventsOf = (end: Event, context: DeletionContext): readonly Event[] => {
  if (!new UnitOfWork(context.lifecycles, context.views).canTake(end)) return []
  return decide(end, context) ?? [end]
}
