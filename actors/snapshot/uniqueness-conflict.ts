// Finds the resource that already has the unique name, ID or secret of a restored one.
import type { Event, Tenancy } from '../../events/envelope.js'
import { isNodeEvent, type NodeEvent } from '../../events/node.js'
import { isPolicyEvent } from '../../events/policy.js'
import { isQueryEvent } from '../../events/prepared-query.js'
import { isRoleEvent } from '../../events/role.js'
import { isTokenEvent } from '../../events/token.js'
import type { Views } from '../../projections/read-models.js'

/** Returns the event with the identity of another resource; its payload does not apply. */
const ofOther = (event: Event, Key: string, { partition, namespace }: Tenancy): Event => ({
  ...event,
  Key,
  Partition: partition,
  Namespace: namespace
})

/**
 * Returns an event that identifies the other resource with the name, ID or secret of the event's; undefined
 * without one.
 */
export const findUniquenessConflict = (event: Event, views: Views): Event | undefined => {
  const tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
  if (isPolicyEvent(event)) {
    const row = views.policies.named(tenancy, event.Payload.ACLPolicy.Name)
    return row && row.policy.ID !== event.Key ? ofOther(event, row.policy.ID, row.tenancy) : undefined
  }
  if (isRoleEvent(event)) {
    const row = views.roles.named(tenancy, event.Payload.ACLRole.Name)
    return row && row.role.ID !== event.Key ? ofOther(event, row.role.ID, row.tenancy) : undefined
  }
  if (isTokenEvent(event)) {
    const row = views.tokens.bySecret(event.Secrets?.['SecretID'] ?? '')
    return row && row.token.AccessorID !== event.Key
      ? ofOther(event, row.token.AccessorID, row.tenancy)
      : undefined
  }
  if (isQueryEvent(event)) {
    const row = views.queries.named(event.Payload.PreparedQuery.Name)
    return row && row.query.ID !== event.Key ? { ...event, Key: row.query.ID } : undefined
  }
  if (isNodeEvent(event)) {
    const { Node } = event.Payload
    const state = views.catalog.nodeById(Node.ID)
    if (!state || state.node.Node.toLowerCase() === Node.Name.toLowerCase()) return undefined
    const of: NodeEvent = {
      ...event,
      Partition: state.partition,
      Payload: { Node: { ...Node, Name: state.node.Node } }
    }
    return of
  }
  return undefined
}
