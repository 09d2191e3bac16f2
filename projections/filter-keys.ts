// Recomputes the filter keys of an event from its payload, because facts are stored without them.
import { isAuthMethodEvent } from '../events/auth-method.js'
import { isBindingRuleEvent } from '../events/binding-rule.js'
import { isCheckEvent } from '../events/check.js'
import { isConfigEntryEvent, nameOfEntry } from '../events/config-entry.js'
import type { Event } from '../events/envelope.js'
import { foldersOf, isKvEvent } from '../events/kv.js'
import { isNodeEvent } from '../events/node.js'
import { isOidcRequestEvent } from '../events/oidc-request.js'
import { isPolicyEvent } from '../events/policy.js'
import { isPolicyProposalEvent } from '../events/policy-proposal.js'
import { isQueryEvent } from '../events/prepared-query.js'
import { isRoleEvent } from '../events/role.js'
import { isServiceEvent } from '../events/service.js'
import { isSessionEvent } from '../events/session.js'
import { isTokenEvent } from '../events/token.js'

const ids = (links: readonly { readonly ID: string }[]): readonly string[] => links.map(({ ID }) => ID)

/** Empty keys are removed by the caller. */
const keysOf = (event: Event): readonly string[] => {
  if (isTokenEvent(event)) {
    const { AuthMethod, Policies, Roles } = event.Payload.ACLToken
    return [AuthMethod, ...ids(Policies), ...ids(Roles)]
  }
  if (isPolicyEvent(event)) return [event.Payload.ACLPolicy.Name]
  if (isPolicyProposalEvent(event)) return [event.Payload.ACLPolicyProposal.Name]
  if (isRoleEvent(event)) return [event.Payload.ACLRole.Name]
  if (isAuthMethodEvent(event)) return [event.Payload.AuthMethod.Type]
  if (isBindingRuleEvent(event)) return [event.Payload.ACLBindingRule.AuthMethod]
  if (isOidcRequestEvent(event)) return [event.Payload.OIDCRequest.AuthMethod]
  if (isKvEvent(event)) return foldersOf(event.Key)
  if (isSessionEvent(event)) return [event.Payload.Session.Node, event.Payload.Session.Name]
  if (isQueryEvent(event)) {
    const { Name, Service, Session } = event.Payload.PreparedQuery
    return [Name, Service.Service, Session]
  }
  if (isConfigEntryEvent(event)) {
    const entry = event.Payload.ConfigEntry
    return [entry.Kind, nameOfEntry(entry)]
  }
  if (isNodeEvent(event)) return [event.Payload.Node.Name]
  if (isServiceEvent(event)) {
    const { ServiceName, Node, NodeID } = event.Payload.Service
    return [...new Set([ServiceName, Node, NodeID])]
  }
  if (isCheckEvent(event)) {
    const { Node, ServiceID, ServiceName } = event.Payload.Check
    return [...new Set([Node, ServiceID, ServiceName])]
  }
  return []
}

export const withFilterKeys = (event: Event): Event => {
  const keys = keysOf(event).filter(key => key !== '')
  return { ...event, FilterKeys: keys.length > 0 ? keys : null }
}
