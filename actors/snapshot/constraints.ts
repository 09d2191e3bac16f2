import { isBindingRuleEvent } from '../../events/binding-rule.js'
import { isCheckEvent } from '../../events/check.js'
import { isCoordinateEvent, isNodeEvent } from '../../events/node.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { isNamespaceEvent } from '../../events/namespace.js'
import { isOidcRequestEvent } from '../../events/oidc-request.js'
import { isQueryEvent } from '../../events/prepared-query.js'
import { isServiceEvent } from '../../events/service.js'
import { isSessionEvent } from '../../events/session.js'
import { isTokenEvent } from '../../events/token.js'
import type { Views } from '../../projections/read-models.js'
import { isPolicyEvent } from '../../events/policy.js'
import { isPolicyProposalEvent } from '../../events/policy-proposal.js'
import { isRoleEvent } from '../../events/role.js'

const hasTenancy = (event: Event, views: Views): boolean => {
  const { Partition, Namespace } = event
  if (Partition !== 'default' && !views.partitions.get(Partition)) return false
  return (
    Namespace === '' ||
    Namespace === '*' ||
    isNamespaceEvent(event) ||
    views.hasNamespace({ partition: Partition, namespace: Namespace })
  )
}

/** True when everything exists that the event's resource depends on. */
export const hasReferences = (event: Event, views: Views): boolean => {
  if (!hasTenancy(event, views)) return false
  const { Partition: partition } = event
  const tenancy: Tenancy = { partition, namespace: event.Namespace || 'default' }
  const hasNode = (name: string): boolean => views.catalog.host(partition, name) !== undefined
  if (isServiceEvent(event)) return hasNode(event.Payload.Service.Node)
  if (isCoordinateEvent(event)) return hasNode(event.Payload.Coordinate.Node)
  if (isSessionEvent(event)) return hasNode(event.Payload.Session.Node)
  if (isCheckEvent(event)) {
    const { Node, ServiceID } = event.Payload.Check
    return (
      hasNode(Node) && (ServiceID === '' || views.catalog.service(tenancy, Node, ServiceID) !== undefined)
    )
  }
  if (isQueryEvent(event)) {
    const { Session } = event.Payload.PreparedQuery
    return Session === '' || views.sessions.get(Session) !== undefined
  }
  const hasMethod = (namespace: string, name: string): boolean =>
    views.authMethods.named({ partition, namespace }, name) !== undefined
  if (isPolicyProposalEvent(event)) return views.policies.get(event.Key) !== undefined
  if (isBindingRuleEvent(event)) return hasMethod(tenancy.namespace, event.Payload.ACLBindingRule.AuthMethod)
  if (isOidcRequestEvent(event)) return hasMethod(tenancy.namespace, event.Payload.OIDCRequest.AuthMethod)
  if (isTokenEvent(event)) {
    const { AuthMethod, AuthMethodNamespace } = event.Payload.ACLToken
    return AuthMethod === '' || hasMethod(AuthMethodNamespace ?? tenancy.namespace, AuthMethod)
  }
  return true
}

/** Returns the event with the identity of another resource; its payload does not apply. */
const ofOther = (event: Event, Key: string, { partition, namespace }: Tenancy): Event => ({
  ...event,
  Key,
  Partition: partition,
  Namespace: namespace
})

/** Returns an event that identifies the other resource with the same name, ID or secret. */
export const findUniquenessConflict = (event: Event, views: Views): Event | undefined => {
  const tenancy = { partition: event.Partition, namespace: event.Namespace || 'default' }
  const other = (
    row: { readonly tenancy: Tenancy } | undefined,
    key: string | undefined
  ): Event | undefined =>
    row && key !== undefined && key !== event.Key ? ofOther(event, key, row.tenancy) : undefined
  if (isPolicyEvent(event)) {
    const row = views.policies.named(tenancy, event.Payload.ACLPolicy.Name)
    return other(row, row?.policy.ID)
  }
  if (isRoleEvent(event)) {
    const row = views.roles.named(tenancy, event.Payload.ACLRole.Name)
    return other(row, row?.role.ID)
  }
  if (isTokenEvent(event)) {
    const row = views.tokens.bySecret(event.Secrets?.['SecretID'] ?? '')
    return other(row, row?.token.AccessorID)
  }
  if (isQueryEvent(event)) {
    const row = views.queries.named(event.Payload.PreparedQuery.Name)
    return row && row.query.ID !== event.Key ? { ...event, Key: row.query.ID } : undefined
  }
  if (isNodeEvent(event)) {
    const { Node } = event.Payload
    const state = views.catalog.nodeById(Node.ID)
    if (!state || state.node.Node.toLowerCase() === Node.Name.toLowerCase()) return undefined
    const Payload = { Node: { ...Node, Name: state.node.Node } }
    return { ...event, Partition: state.partition, Payload }
  }
  return undefined
}
