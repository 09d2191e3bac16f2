// Checks the references of restored resources, whose targets clients may have deleted since the restore
// began.
import { isBindingRuleEvent } from '../../events/binding-rule.js'
import { isCheckEvent } from '../../events/check.js'
import { isCoordinateEvent } from '../../events/coordinate.js'
import type { Event, Tenancy } from '../../events/envelope.js'
import { isNamespaceEvent } from '../../events/namespace.js'
import { isOidcRequestEvent } from '../../events/oidc-request.js'
import { isQueryEvent } from '../../events/prepared-query.js'
import { isServiceEvent } from '../../events/service.js'
import { isSessionEvent } from '../../events/session.js'
import { isTokenEvent } from '../../events/token.js'
import type { Views } from '../../projections/read-models.js'

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
  if (isBindingRuleEvent(event)) return hasMethod(tenancy.namespace, event.Payload.ACLBindingRule.AuthMethod)
  if (isOidcRequestEvent(event)) return hasMethod(tenancy.namespace, event.Payload.OIDCRequest.AuthMethod)
  if (isTokenEvent(event)) {
    const { AuthMethod, AuthMethodNamespace } = event.Payload.ACLToken
    return AuthMethod === '' || hasMethod(AuthMethodNamespace ?? tenancy.namespace, AuthMethod)
  }
  return true
}
