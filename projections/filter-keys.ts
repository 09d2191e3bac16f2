// Recomputes the filter keys of an event from its payload, because facts are stored without them.
import { authMethodEvents } from '../events/auth-method.js'
import { bindingRuleEvents } from '../events/binding-rule.js'
import { isCheckEvent } from '../events/check.js'
import { configEntryEvents } from '../events/config-entry.js'
import type { Event } from '../events/envelope.js'
import { foldersOf, isKvEvent } from '../events/kv.js'
import { isNodeEvent } from '../events/node.js'
import { oidcRequestEvents } from '../events/oidc-request.js'
import { policyEvents } from '../events/policy.js'
import { policyProposalEvents } from '../events/policy-proposal.js'
import { queryEvents } from '../events/prepared-query.js'
import { roleEvents } from '../events/role.js'
import { isServiceEvent } from '../events/service.js'
import { sessionEvents } from '../events/session.js'
import { tokenEvents } from '../events/token.js'

const KINDS: ReadonlyMap<string, (event: Event) => readonly string[] | undefined> = new Map(
  [
    tokenEvents,
    policyEvents,
    policyProposalEvents,
    roleEvents,
    authMethodEvents,
    bindingRuleEvents,
    oidcRequestEvents,
    sessionEvents,
    queryEvents,
    configEntryEvents
  ].map(({ topic, filterKeysIn }) => [topic, filterKeysIn] as const)
)

/** Empty keys are removed by the caller. */
const keysOf = (event: Event): readonly string[] => {
  if (isKvEvent(event)) return foldersOf(event.Key)
  if (isNodeEvent(event)) return [event.Payload.Node.Name]
  if (isServiceEvent(event)) {
    const { ServiceName, Node, NodeID } = event.Payload.Service
    return [...new Set([ServiceName, Node, NodeID])]
  }
  if (isCheckEvent(event)) {
    const { Node, ServiceID, ServiceName } = event.Payload.Check
    return [...new Set([Node, ServiceID, ServiceName])]
  }
  return KINDS.get(event.Topic)?.(event) ?? []
}

export const withFilterKeys = (event: Event): Event => {
  const keys = keysOf(event).filter(key => key !== '')
  return { ...event, FilterKeys: keys.length > 0 ? keys : null }
}
